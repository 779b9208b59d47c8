// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Compares the output that a page of the guide shows with that of a run, apart from numbers, times and ids. */
final class Transcript {

    /** A line that matches any number of lines. */
    private static final String REST = "...";

    private static final Pattern ID = Pattern.compile("\\b\\d{8}-\\d{6}-[a-z0-9]{4}\\b");
    private static final Pattern DATE = Pattern
            .compile("\\b\\d{4}-\\d\\d-\\d\\d([ T]\\d\\d:\\d\\d(:\\d\\d(\\.\\d+)?)?Z?)?");
    private static final Pattern SIZE = Pattern.compile("\\d[\\d,.]* ([KMGTPE]i)?B\\b");
    private static final Pattern NUMBER = Pattern.compile("\\d[\\d,.:]*(?<![,.:])");
    // A command that copies nothing, or too fast to measure, prints no rate.
    private static final Pattern RATE = Pattern.compile(", (?:SIZE|N entries)/s");
    private static final Pattern HOST = Pattern.compile("@[\\w.-]+");
    private static final Pattern PLURAL = Pattern
            .compile("\\b(?:entr(?:y|ies)|(file|job|difference|error|batch)(?:es|s)?)\\b");

    private Transcript() {}

    /** Returns a line with words for its ids, dates, sizes, numbers, hosts and plurals. */
    static String masked(String line) {
        String text = ID.matcher(line).replaceAll("ID");
        text = DATE.matcher(text).replaceAll("DATE");
        text = SIZE.matcher(text).replaceAll("SIZE");
        text = NUMBER.matcher(text).replaceAll("N");
        text = HOST.matcher(text).replaceAll("@HOST");
        text = PLURAL.matcher(text).replaceAll(match -> match.group(1) == null ? "entries" : match.group(1) + "s");
        text = RATE.matcher(text).replaceAll("");
        return text.replaceAll("#+", "#").replaceAll("\\s+", " ").strip();
    }

    /** Returns whether the lines of a run are those of the page. */
    static boolean matches(List<String> page, List<String> run) {
        return matches(page.stream().map(Transcript::masked).toList(), 0, run.stream().map(Transcript::masked).toList(),
                0);
    }

    private static boolean matches(List<String> page, int at, List<String> run, int from) {
        if (at == page.size()) {
            return from == run.size();
        }
        if (page.get(at).equals(REST)) {
            return matches(page, at + 1, run, from) || from < run.size() && matches(page, at, run, from + 1);
        }
        return from < run.size() && page.get(at).equals(run.get(from)) && matches(page, at + 1, run, from + 1);
    }

    /** Returns a shell script that runs the commands in one shell and writes a mark after the output of each. */
    static String script(List<GuidePage.Command> commands, String mark) {
        StringBuilder script = new StringBuilder("exec 2>&1\n");
        commands.forEach(command -> script.append(command.line()).append("\nprintf '").append(mark).append("\\n'\n"));
        return script.toString();
    }

    /** Returns the lines of output of each command of a {@link #script}. */
    static List<List<String>> outputs(String output, String mark) {
        List<List<String>> outputs = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (String line : output.lines().toList()) {
            if (line.equals(mark)) {
                outputs.add(lines);
                lines = new ArrayList<>();
            } else {
                lines.add(line);
            }
        }
        return outputs;
    }
}
