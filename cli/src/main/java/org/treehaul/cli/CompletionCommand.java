// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.function.Supplier;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.help.CompletionScript;
import org.treehaul.cli.help.CompletionScript.Shell;
import picocli.CommandLine;

/** {@code treehaul completion}: prints a script that makes a shell complete TreeHaul's commands and options. */
final class CompletionCommand extends ModelCommand {

    private Shell shell = Shell.bash;

    /**
     * Defines the command for Picocli.
     *
     * @param all creates the model of all commands
     */
    CompletionCommand(Supplier<CommandLine> all) {
        super("completion", all);
        spec.usageMessage()
                .header("Print a completion script for bash, zsh or fish.")
                .description("%nPrints a script that makes SHELL complete commands, options, paths, values and "
                        + "transfers. The script starts no Java.%n")
                .footer("%nExamples:", "  source <(treehaul completion bash)",
                        "  treehaul completion fish > ~/.config/fish/completions/treehaul.fish");
        Options.add(spec, Options.operand(Shell.class, value -> shell = value), "SHELL", "bash, zsh or fish.");
        spec.addOption(Options.help());
    }

    @Override
    public Integer call() {
        return print(CompletionScript.of(shell, all()));
    }
}
