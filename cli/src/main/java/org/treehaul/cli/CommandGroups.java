// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.regex.Pattern;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Prints the list of commands in groups, with the headings of {@link CommandEntry#heading}. */
final class CommandGroups {

    private static final Pattern COLOR = Pattern.compile("\u001b\\[[0-9;]*m");

    private CommandGroups() {}

    /** Groups the commands in the help of the whole command line. */
    static void applyTo(CommandLine all) {
        all.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
        all.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandGroups::render);
    }

    private static String render(Help help) {
        StringBuilder text = new StringBuilder();
        help.commandList(help.subcommands()).lines().forEach(line -> {
            // A line that continues a description begins with more blanks.
            String name = COLOR.matcher(line).replaceAll("").replaceFirst("^ {2}(\\S+).*", "$1");
            CommandEntry.named(name)
                    .map(CommandEntry::heading)
                    .filter(heading -> !heading.isEmpty())
                    .ifPresent(heading -> text.append('\n').append(heading).append('\n'));
            text.append(line).append('\n');
        });
        return text.toString();
    }
}
