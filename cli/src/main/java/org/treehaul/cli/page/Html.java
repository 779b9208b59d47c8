// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.page;

import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.picture.Svg;

/** Writes a self-contained HTML page that is well-formed XML too. All text is escaped. Used by one thread. */
final class Html {

    private static final String STYLE = """
            body { font-family: sans-serif; color: #222222; max-width: 70em; margin: 2em auto; padding: 0 1em; }
            h1 { font-size: 1.4em; } h2 { font-size: 1.1em; margin-top: 2em; }
            table { border-collapse: collapse; } td, th { padding: 0.2em 0.8em 0.2em 0; text-align: left; vertical-align: top; }
            th { font-weight: bold; } .number { text-align: right; }
            code { overflow-wrap: anywhere; } svg { max-width: 100%; height: auto; display: block; }
            .good { color: #1b7837; font-weight: bold; } .bad { color: #b03030; font-weight: bold; }
            """;

    private final StringBuilder body = new StringBuilder();

    /** Returns text as HTML; characters that XML or a reader of the page could misunderstand are escaped. */
    static String escaped(String text) {
        return ByteString.printable(text)
                .replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }

    void heading(String text) {
        body.append("<h2>").append(escaped(text)).append("</h2>\n");
    }

    void title(String text) {
        body.append("<h1>").append(escaped(text)).append("</h1>\n");
    }

    void paragraph(String text) {
        body.append("<p>").append(escaped(text)).append("</p>\n");
    }

    /** Writes a line that says at a glance whether all is well. */
    void verdict(boolean isGood, String text) {
        body.append("<p class=\"").append(isGood ? "good" : "bad").append("\">").append(escaped(text)).append("</p>\n");
    }

    void picture(Svg svg) {
        body.append(svg.inline());
    }

    /** Writes a table with two columns and no head: names and values. */
    void facts(List<List<String>> rows) {
        body.append("<table>\n");
        rows.forEach(row -> body.append("<tr><th>")
                .append(escaped(row.getFirst()))
                .append("</th><td>")
                .append(escaped(row.getLast()))
                .append("</td></tr>\n"));
        body.append("</table>\n");
    }

    /**
     * Writes a table.
     *
     * @param head the titles; a title that begins with {@code #} marks a column of numbers
     */
    void table(List<String> head, List<List<String>> rows) {
        body.append("<table>\n<tr>");
        head.forEach(title -> body.append(title.startsWith("#") ? "<th class=\"number\">" : "<th>")
                .append(escaped(title.replaceFirst("^#", "")))
                .append("</th>"));
        body.append("</tr>\n");
        for (List<String> row : rows) {
            body.append("<tr>");
            for (int i = 0; i < row.size(); i++) {
                body.append(head.get(i).startsWith("#") ? "<td class=\"number\">" : "<td>")
                        .append(escaped(row.get(i)))
                        .append("</td>");
            }
            body.append("</tr>\n");
        }
        body.append("</table>\n");
    }

    /** Writes a list of paths or commands. */
    void codes(List<String> lines) {
        body.append("<ul>\n");
        lines.forEach(line -> body.append("<li><code>").append(escaped(line)).append("</code></li>\n"));
        body.append("</ul>\n");
    }

    /** Returns the whole page. */
    String finish(String title) {
        return "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                + "<meta name=\"viewport\" content=\"width=device-width\"/>\n<title>" + escaped(title)
                + "</title>\n<style>\n" + STYLE + "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
    }
}
