// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.picture;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/**
 * Writes a picture as SVG 1.1 from rectangles, lines, text and other pictures only. Lengths are pixels, colours those
 * of CSS. Used by one thread.
 */
public final class Svg {

    /** The colour of text and axes. */
    public static final String INK = "#222222";
    /** The colour of lines in the background. */
    public static final String FAINT = "#dddddd";

    /** The position of a text relative to its point. */
    public enum Anchor {
        /** The point is at its beginning. */
        start,
        /** The point is in its middle. */
        middle,
        /** The point is at its end. */
        end
    }

    private static final int TITLE = 15;
    private static final int SMALL = 11;

    private final StringBuilder body = new StringBuilder();
    private final int width;
    private final int height;

    /** Makes a white picture with a title at its top. */
    public Svg(int width, int height, String title) {
        this.width = width;
        this.height = height;
        body.append("<title>").append(escaped(title)).append("</title>\n");
        rectangle(0, 0, width, height, "#ffffff", "");
        body.append(String.format(Locale.ROOT,
                "<text x=\"16\" y=\"26\" font-size=\"%d\" font-weight=\"bold\">%s</text>%n", TITLE, escaped(title)));
    }

    /** Draws a rectangle; a browser shows the tip as a tooltip. */
    public void rectangle(double x, double y, double w, double h, String fill, String tip) {
        body.append(String.format(Locale.ROOT, "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\"",
                number(x), number(y), number(w), number(h), fill));
        body.append(tip.isEmpty() ? "/>\n" : "><title>" + escaped(tip) + "</title></rect>\n");
    }

    /** Draws a line one pixel wide. */
    public void line(double x1, double y1, double x2, double y2, String colour) {
        body.append(String.format(Locale.ROOT, "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\"/>%n",
                number(x1), number(y1), number(x2), number(y2), colour));
    }

    /** Draws a line with a width. */
    public void line(double x1, double y1, double x2, double y2, String colour, double width) {
        body.append(String.format(Locale.ROOT,
                "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" stroke=\"%s\" stroke-width=\"%s\"/>%n", number(x1),
                number(y1), number(x2), number(y2), colour, number(width)));
    }

    /** Embeds a copy of the present content of another picture, enlarged by a factor. */
    public void embed(double x, double y, double scale, Svg other) {
        body.append(String.format(Locale.ROOT,
                "<svg x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %d %d\">%n%s</svg>%n", number(x),
                number(y), number(other.width * scale), number(other.height * scale), other.width, other.height,
                other.body));
    }

    /** Writes a text in the usual colour. */
    public void text(double x, double y, Anchor anchor, String text) {
        text(x, y, anchor, INK, text);
    }

    /** Writes a text. */
    public void text(double x, double y, Anchor anchor, String colour, String text) {
        body.append(String.format(Locale.ROOT,
                "<text x=\"%s\" y=\"%s\" font-size=\"%d\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n", number(x),
                number(y), SMALL, anchor, colour, escaped(text)));
    }

    /** Draws a text that reads upwards. */
    public void upwards(double x, double y, String text) {
        body.append(String.format(Locale.ROOT,
                "<text transform=\"translate(%s %s) rotate(-90)\" font-size=\"%d\" text-anchor=\"middle\">%s</text>%n",
                number(x), number(y), SMALL, escaped(text)));
    }

    /** Returns the width of the picture. */
    public int width() {
        return width;
    }

    /** Returns the height of the picture. */
    public int height() {
        return height;
    }

    /** Returns the whole picture. */
    public String finish() {
        return String.format(Locale.ROOT,
                """
                        <?xml version="1.0" encoding="UTF-8"?>
                        <svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="%1$d" height="%2$d" viewBox="0 0 %1$d %2$d" \
                        font-family="sans-serif" fill="%3$s">
                        %4$s</svg>
                        """,
                width, height, INK, body);
    }

    /** Returns the picture as an element for a page of HTML or XHTML. */
    public String inline() {
        return String.format(Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\"%1$d\" height=\"%2$d\" "
                        + "viewBox=\"0 0 %1$d %2$d\" font-family=\"sans-serif\" fill=\"%3$s\">%n%4$s</svg>%n",
                width, height, INK, body);
    }

    private static String number(double value) {
        return Double.toString(Math.round(value * 100) / 100.0).replaceFirst("\\.0$", "");
    }

    private static String escaped(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }

    /** Returns a number with three significant digits and the prefix k, M, G, T or P for powers of a thousand. */
    public static String brief(double value) {
        double shown = value;
        int power = 0;
        while (Math.abs(shown) >= 999.5 && power < 5) {
            shown /= 1000;
            power++;
        }
        String plain = new BigDecimal(shown).round(new MathContext(3)).stripTrailingZeros().toPlainString();
        return plain + (power == 0 ? "" : String.valueOf(" kMGTP".charAt(power)));
    }
}
