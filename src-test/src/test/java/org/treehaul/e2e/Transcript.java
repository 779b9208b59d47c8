// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Compares the output that a page of the guide shows with that of a run, apart from numbers, times and ids. */
final class Transcript {

    /** A line that matches any number of lines. */
    private static final Pattern PROGRESS = Pattern.compile("^treehaul: [a-z]+: \\d\\d:\\d\\d:\\d\\d ");
    private static final String REST = "...";

    private static final String MARK = "== end of output ==";

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

    /**
     * Returns whether the lines of a run are those of the page. The run may also have lines of progress, which a
     * command prints after ten seconds, on a busy machine.
     */
    static boolean matches(List<String> page, List<String> run) {
        return matches(page.stream().map(Transcript::masked).toList(), 0,
                run.stream().filter(line -> !PROGRESS.matcher(line).find()).map(Transcript::masked).toList(), 0);
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
    static String script(List<GuidePage.Command> commands) {
        StringBuilder script = new StringBuilder("exec 2>&1\n");
        commands.forEach(command -> script.append(command.line()).append("\nprintf '").append(MARK).append("\\n'\n"));
        return script.toString();
    }

    /** Returns the commands of a {@link #script}, with their output, that print something else than the page shows. */
    static List<String> differences(List<GuidePage.Command> commands, String output) {
        List<List<String>> outputs = outputs(output);
        if (outputs.size() != commands.size()) {
            return List.of(outputs.size() + " of " + commands.size() + " commands ended:", output);
        }
        List<String> different = new ArrayList<>();
        for (int i = 0; i < commands.size(); i++) {
            if (!matches(commands.get(i).output(), outputs.get(i))) {
                different.add("$ " + commands.get(i).line() + "\n" + String.join("\n", outputs.get(i)));
            }
        }
        return different;
    }

    private static List<List<String>> outputs(String output) {
        List<List<String>> outputs = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        for (String line : output.lines().toList()) {
            if (line.equals(MARK)) {
                outputs.add(lines);
                lines = new ArrayList<>();
            } else {
                lines.add(line);
            }
        }
        return outputs;
    }
}
