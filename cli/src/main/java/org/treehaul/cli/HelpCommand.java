// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.List;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import picocli.CommandLine;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code treehaul help [COMMAND]}: prints the same as {@code --help}. */
final class HelpCommand extends ModelCommand {

    @Nullable private String command;

    /**
     * Defines the command for Picocli.
     *
     * @param all creates the model of all commands
     */
    HelpCommand(Supplier<CommandLine> all) {
        super("help", all);
        spec.usageMessage()
                .header("Explain a command.")
                .description("%nPrints the help of COMMAND, or the list of commands.%n")
                .footer("%nExample:", "  treehaul help cp");
        Options.add(spec, Options.optionalOperand(String.class, value -> command = value), "COMMAND",
                "The command to explain.");
        spec.addOption(Options.help());
    }

    @Override
    public Integer call() {
        CommandLine whole = all();
        CommandLine line = command == null ? whole : whole.getSubcommands().get(command);
        if (line == null) {
            throw new UnmatchedArgumentException(whole, List.of(String.valueOf(command)));
        }
        return print(line.getUsageMessage(whole.getColorScheme()));
    }
}
