// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.help;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.Help;

/**
 * The end of a command's help: its examples, and its exit codes.
 *
 * @param examples the examples, line by line
 * @param codes the exit codes with their meanings, in order; a key may begin with a condition, as in
 *        {@code with --wait 23}
 */
record Footer(List<String> examples, Map<String, String> codes) {

    private static final String CODES = "Exit codes: ";

    /** The beginning of an exit code: "23 some entries failed", "with --wait 23 something differs". */
    private static final Pattern CODE = Pattern.compile("(?:^|[;,] )((?:with --wait )?\\d+) ");

    /** Reads the end of a help that is not wrapped into lines. */
    static Footer of(Help help) {
        List<String> examples = new ArrayList<>();
        Map<String, String> codes = new LinkedHashMap<>();
        help.footer().lines().forEach(line -> {
            if (line.startsWith("  ")) {
                examples.add(line.substring(2));
            } else if (line.startsWith(CODES)) {
                read(line.substring(CODES.length()).strip(), codes);
            }
        });
        return new Footer(examples, codes);
    }

    private static void read(String line, Map<String, String> codes) {
        Matcher code = CODE.matcher(line);
        String last = "";
        int start = 0;
        while (code.find()) {
            if (!last.isEmpty()) {
                codes.put(last, line.substring(start, code.start()));
            }
            last = code.group(1);
            start = code.end();
        }
        codes.put(last, line.substring(start).replaceFirst("\\.$", ""));
    }

    void exitCodes(Roff page) {
        if (!codes.isEmpty()) {
            page.section("EXIT STATUS");
            codes.forEach((code, meaning) -> page.tagged(Roff.bold(code))
                    .text(meaning.substring(0, 1).toUpperCase(Locale.ROOT) + meaning.substring(1) + "."));
        }
    }

    void examples(Roff page) {
        if (!examples.isEmpty()) {
            page.section("EXAMPLES").lines(examples);
        }
    }
}
