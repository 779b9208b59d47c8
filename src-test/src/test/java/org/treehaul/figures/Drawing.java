// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.util.List;
import java.util.stream.Collectors;

import org.treehaul.core.picture.Svg;

/**
 * The content of a figure.
 *
 * @param rows the rows of its table, without the names of the columns
 * @param panels pictures to draw side by side
 * @param panelScale the scale of the panels
 * @param beside statements of the paper with our results
 * @param assumptions our choices where the paper states none
 */
record Drawing(List<List<String>> rows, List<Svg> panels, double panelScale, List<Beside> beside,
        List<String> assumptions) {

    private static final int MARGIN = 16;
    private static final int LINE = 15;
    private static final int HEAD = 40;
    private static final int WIDTH = 1000;
    // The widest and the highest panel of the profile at scale 1.
    private static final int PANEL_WIDTH = 760;
    private static final int COLUMN = 480;
    private static final int LONGEST_LINE = 160;
    private static final int LONGEST_CELL = 78;

    /** A statement of the paper, and our result. */
    record Beside(String paper, String here) {}

    Drawing {
        rows = List.copyOf(rows);
        panels = List.copyOf(panels);
        beside = List.copyOf(beside);
        assumptions = List.copyOf(assumptions);
    }

    /** Returns the table. */
    String table(List<String> columns) {
        return String.join(",", columns) + "\n"
                + rows.stream().map(row -> String.join(",", row) + "\n").collect(Collectors.joining());
    }

    /** Returns the picture: the panels, and below them the paper's statements, our results, and the assumptions. */
    String picture(String caption) {
        int across = panels.size() == 1 ? 1 : 2;
        double panelWidth = panels.stream().mapToDouble(Svg::width).max().orElse(PANEL_WIDTH) * panelScale;
        double panelHeight = panels.stream().mapToDouble(Svg::height).max().orElse(0) * panelScale;
        int lines = (panels.size() + across - 1) / across;
        int textLines = beside.stream().mapToInt(Drawing::lines).sum() + beside.size() + assumptions.size() + 4;
        int width = (int) Math.max(WIDTH, 2 * MARGIN + across * panelWidth);
        Svg svg = new Svg(width, (int) (HEAD + lines * panelHeight + (textLines + 1) * LINE + MARGIN), caption);
        for (int i = 0; i < panels.size(); i++) {
            int line = i / across;
            svg.embed(MARGIN + i % across * panelWidth, HEAD + line * panelHeight, panelScale, panels.get(i));
        }
        double y = HEAD + lines * panelHeight + 2 * LINE;
        svg.text(MARGIN, y, Svg.Anchor.start, Svg.INK, "The paper says");
        svg.text(MARGIN + COLUMN, y, Svg.Anchor.start, Svg.INK, "Here");
        svg.line(MARGIN, y + 4, width - MARGIN, y + 4, Svg.INK, 1);
        for (Beside one : beside) {
            y = Math.max(write(svg, MARGIN, y + LINE + 4, one.paper),
                    write(svg, MARGIN + COLUMN, y + LINE + 4, one.here));
        }
        y += 2 * LINE;
        svg.text(MARGIN, y, Svg.Anchor.start, Svg.INK, "Assumptions");
        svg.line(MARGIN, y + 4, width - MARGIN, y + 4, Svg.INK, 1);
        for (String assumption : assumptions) {
            if (assumption.length() > LONGEST_LINE) {
                throw new IllegalArgumentException("too long for a line: " + assumption);
            }
            y += LINE + 2;
            svg.text(MARGIN, y, Svg.Anchor.start, assumption);
        }
        return svg.finish();
    }

    private static int lines(Beside one) {
        return Math.max(wrapped(one.paper).size(), wrapped(one.here).size());
    }

    // Returns the position of its last line.
    private static double write(Svg svg, double x, double y, String text) {
        List<String> lines = wrapped(text);
        for (int i = 0; i < lines.size(); i++) {
            svg.text(x, y + i * LINE, Svg.Anchor.start, lines.get(i));
        }
        return y + (lines.size() - 1) * LINE;
    }

    private static List<String> wrapped(String text) {
        return List.of(text.replaceAll("(.{1," + LONGEST_CELL + "})( |$)", "$1\n").split("\n"));
    }
}
