// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.help;

/** Text in the language of man(7). */
final class Roff {

    private final StringBuilder text = new StringBuilder();

    /**
     * Begins a manual page.
     *
     * @param date the date of the page, as YYYY-MM-DD
     */
    Roff(String title, String date, String version) {
        text.append(".TH ")
                .append(escape(title))
                .append(" 1 ")
                .append(date)
                .append(' ')
                .append(quote(version))
                .append(" \"TreeHaul manual\"\n.nh\n.ad l\n");
    }

    /** Begins a section. */
    Roff section(String heading) {
        text.append(".SH ").append(quote(heading)).append('\n');
        return this;
    }

    /** Begins a part of a section. */
    Roff subsection(String heading) {
        text.append(".SS ").append(quote(heading)).append('\n');
        return this;
    }

    /** Begins an indented paragraph with a tag, which is escaped already. */
    Roff tagged(String tag) {
        text.append(".TP\n").append(tag).append('\n');
        return this;
    }

    /** Adds text. */
    Roff text(String plain) {
        text.append(line(escape(plain))).append('\n');
        return this;
    }

    /** Adds text that is escaped already. */
    Roff escaped(String line) {
        text.append(line).append('\n');
        return this;
    }

    /** Adds lines that must not be filled. */
    Roff lines(Iterable<String> plain) {
        text.append(".nf\n.RS 4\n");
        plain.forEach(this::text);
        text.append(".RE\n.fi\n");
        return this;
    }

    /** Returns text in bold type. */
    static String bold(String plain) {
        return "\\fB" + escape(plain) + "\\fR";
    }

    /** Returns text in italic type. */
    static String italic(String plain) {
        return "\\fI" + escape(plain) + "\\fR";
    }

    /** Returns text in which no character has a special meaning, as in groff_char(7), within a line. */
    static String escape(String plain) {
        StringBuilder escaped = new StringBuilder();
        plain.codePoints().forEach(c -> {
            switch (c) {
                case '\\' -> escaped.append("\\(rs");
                case '-' -> escaped.append("\\-");
                case '\'' -> escaped.append("\\(aq");
                case '`' -> escaped.append("\\(ga");
                case '^' -> escaped.append("\\(ha");
                case '~' -> escaped.append("\\(ti");
                default -> escaped.appendCodePoint(c);
            }
        });
        return escaped.toString();
    }

    // A full stop at the beginning of a line begins a request.
    private static String line(String escaped) {
        return escaped.startsWith(".") ? "\\&" + escaped : escaped;
    }

    private static String quote(String plain) {
        return '"' + escape(plain).replace("\"", "\\(dq") + '"';
    }

    @Override
    public String toString() {
        return text.toString();
    }
}
