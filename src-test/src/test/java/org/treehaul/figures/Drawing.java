// SPDX-License-Identifier: Apache-2.0
package org.treehaul.figures;

import java.util.Collection;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
    private static final int LONGEST_TABLE = 40;
    private static final int LETTER_OF_CAPTION = 9;

    /** A statement of the paper, and our result. */
    record Beside(String paper, String here) {}

    Drawing {
        rows.stream()
                .flatMap(List::stream)
                .filter(cell -> cell.isEmpty() || cell.matches("(?s).*[,\"\n].*"))
                .forEach(cell -> {
                    throw new IllegalArgumentException("not a cell of a table without quotes: '" + cell + "'");
                });
        rows = List.copyOf(rows);
        panels = List.copyOf(panels);
        beside = List.copyOf(beside);
        assumptions = List.copyOf(assumptions);
    }

    /**
     * Returns a part of a figure.
     *
     * @param from the number of its first panel
     * @param to the number of the panel after its last
     * @param isOf selects its rows
     * @param statements the numbers of the statements about it
     */
    Drawing part(int from, int to, Predicate<List<String>> isOf, Collection<Integer> statements) {
        return new Drawing(rows.stream().filter(isOf).toList(), panels.subList(from, to),
                to - from == 1 ? 1 : panelScale, statements.stream().map(beside::get).toList(), assumptions);
    }

    /** Returns the same with a further assumption. */
    Drawing assuming(String assumption) {
        return new Drawing(rows, panels, panelScale, beside,
                Stream.concat(assumptions.stream(), Stream.of(assumption)).toList());
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
        List<String> assumed = assumptions.stream().flatMap(one -> wrapped(one, LONGEST_LINE).stream()).toList();
        int textLines = beside.stream().mapToInt(Drawing::lines).sum() + beside.size() + assumed.size() + 4;
        int width = (int) Math.max(Math.max(WIDTH, LETTER_OF_CAPTION * caption.length()),
                2 * MARGIN + across * panelWidth);
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
        for (String assumption : assumed) {
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
        return wrapped(text, LONGEST_CELL);
    }

    private static List<String> wrapped(String text, int most) {
        return List.of(text.replaceAll("(.{1," + most + "})( |$)", "$1\n").split("\n"));
    }

    /**
     * Returns the figure as a section of a page in Markdown; its picture and a table of many rows are links.
     *
     * @param files the path of its files without the ends of their names, from the directory of the page
     */
    String markdown(Figure figure, String files) {
        StringBuilder text = new StringBuilder("## " + figure.caption() + "\n\n`src-test/figures " + figure.name()
                + "`: [picture](" + files + ".svg), [table](" + files + ".csv).\n\n");
        if (rows.size() <= LONGEST_TABLE) {
            lines(text, figure.columns(), rows);
        }
        lines(text, List.of("the paper says", "here"),
                beside.stream().map(one -> List.of(one.paper, one.here)).toList());
        assumptions.forEach(assumption -> text.append("- ").append(assumption).append('\n'));
        return text.append('\n').toString();
    }

    private static void lines(StringBuilder text, List<String> heads, List<List<String>> lines) {
        Stream.of(List.of(heads), List.of(heads.stream().map(head -> "---").toList()), lines)
                .flatMap(List::stream)
                .forEach(line -> text.append("| ").append(String.join(" | ", line)).append(" |\n"));
        text.append('\n');
    }
}
