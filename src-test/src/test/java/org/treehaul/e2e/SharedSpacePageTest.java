// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs the page that takes a site from nothing to a shared space, line by line, as its users. */
@Tag("rig")
class SharedSpacePageTest {

    private static final Pattern PROMPT = Pattern.compile("(?:# |([a-z]+)\\$ )(.*)");

    private record Command(String user, String line, List<String> output) {}

    private static List<Command> commands(String page) {
        List<Command> commands = new ArrayList<>();
        boolean isInBlock = false;
        for (String line : page.lines().toList()) {
            Matcher prompt = PROMPT.matcher(line);
            if (line.startsWith("```")) {
                isInBlock = line.equals("```console");
            } else if (isInBlock && prompt.matches()) {
                commands.add(new Command(prompt.group(1) == null ? "root" : prompt.group(1), prompt.group(2),
                        new ArrayList<>()));
            } else if (isInBlock) {
                commands.getLast().output().add(line);
            }
        }
        return commands;
    }

    @Test
    void theCommandsRunAsPrinted() throws Exception {
        List<Command> commands = commands(GuidePage.named("shared-space.md").text());
        assertThat(commands).hasSizeGreaterThan(40).extracting(Command::user).contains("root", "alice", "bob");
        List<String> different = new ArrayList<>();
        try (OwnMachine machine = new OwnMachine()) {
            for (Command command : commands) {
                List<String> output = machine.run(command.user(), command.line());
                if (!Transcript.matches(command.output(), output)) {
                    different.add(command.user() + "$ " + command.line() + "\n" + String.join("\n", output));
                }
            }
        }
        assertThat(different).as("commands that print something else than the page shows").isEmpty();
    }
}
