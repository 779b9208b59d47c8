// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A page of the guide: its text, its tables, and the commands that tests run, which are in blocks marked
 * {@code console}.
 */
record GuidePage(String text) {

    private static final Pattern USER_PROMPT = Pattern.compile("(?:# |([a-z]+)\\$ )(.*)");
    private static final Pattern CELL_END = Pattern.compile("(?<!\\\\)\\|");

    /**
     * A command of the page.
     *
     * @param line the command, without the prompt; a command over several lines contains line feeds
     * @param output the lines that the page shows after it
     */
    record Command(String line, List<String> output) {}

    /**
     * A command of a page about several users.
     *
     * @param user the name before the prompt; root for the prompt {@code #}
     * @param line the command, without the prompt
     * @param output the lines that the page shows after it
     */
    record UserCommand(String user, String line, List<String> output) {}

    static GuidePage named(String name) throws IOException {
        return new GuidePage(Files.readString(Path.of(System.getProperty("treehaul.root"), "docs/guide", name)));
    }

    /** Returns the commands that tests run, of a page whose prompts name users. */
    List<UserCommand> userCommands() {
        List<UserCommand> commands = new ArrayList<>();
        boolean isInBlock = false;
        for (String line : text.lines().toList()) {
            Matcher prompt = USER_PROMPT.matcher(line);
            if (line.startsWith("```")) {
                isInBlock = line.equals("```console");
            } else if (isInBlock && prompt.matches()) {
                commands.add(new UserCommand(prompt.group(1) == null ? "root" : prompt.group(1), prompt.group(2),
                        new ArrayList<>()));
            } else if (isInBlock) {
                commands.getLast().output().add(line);
            }
        }
        return commands;
    }

    /** Returns the lines below a heading, up to the next heading. */
    String below(String heading) {
        StringBuilder below = new StringBuilder();
        boolean isBelow = false;
        for (String line : text.lines().toList()) {
            if (line.startsWith("#")) {
                isBelow = line.replaceFirst("#+ ", "").equals(heading);
            }
            if (isBelow) {
                below.append(line).append('\n');
            }
        }
        return below.toString();
    }

    /** Returns the cells of the rows of all tables below a heading, without the two lines at the top of each table. */
    List<List<String>> rows(String heading) {
        List<List<String>> rows = new ArrayList<>();
        int line = 0;
        for (String each : below(heading).lines().toList()) {
            line = each.startsWith("|") ? line + 1 : 0;
            if (line > 2) {
                String[] cells = CELL_END.split(each.substring(1), -1);
                rows.add(Arrays.stream(cells).limit(cells.length - 1L).map(String::strip).toList());
            }
        }
        return rows;
    }

    /** Returns the commands of all blocks marked {@code console}, in their order. */
    List<Command> commands() {
        List<Command> commands = new ArrayList<>();
        boolean isInBlock = false;
        for (String line : text.lines().toList()) {
            if (line.startsWith("```")) {
                isInBlock = line.equals("```console");
            } else if (isInBlock && line.startsWith("$ ")) {
                commands.add(new Command(line.substring(2), new ArrayList<>()));
            } else if (isInBlock && line.startsWith("> ") && commands.getLast().output().isEmpty()) {
                commands.add(new Command(commands.removeLast().line() + "\n" + line.substring(2), new ArrayList<>()));
            } else if (isInBlock) {
                commands.getLast().output().add(line);
            }
        }
        return commands;
    }
}
