// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code treehaul completion}: prints a script that makes a shell complete TreeHaul's commands and options. */
final class CompletionCommand implements Callable<Integer> {

    /** The shells. */
    enum Shell {
        bash,
        zsh,
        fish
    }

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private Shell shell = Shell.bash;

    /** Defines the command for Picocli. */
    CompletionCommand() {
        spec.name("completion");
        spec.usageMessage()
                .header("Print a completion script for bash, zsh or fish.")
                .description("%nPrints a script that makes SHELL complete commands and options.%n")
                .footer("%nExamples:", "  source <(treehaul completion bash)",
                        "  treehaul completion fish > ~/.config/fish/completions/treehaul.fish");
        spec.addPositional(Options.operand(Shell.class, value -> shell = value)
                .paramLabel("SHELL")
                .description("bash, zsh or fish.")
                .build());
        spec.addOption(Options.flag(value -> {
        }, "-h", "--help").usageHelp(true).description("Print this help.").build());
    }

    @Override
    public Integer call() {
        CommandLine all = shown();
        spec.commandLine().getOut().print(shell == Shell.fish ? fish(all) : AutoComplete.bash("treehaul", all));
        spec.commandLine().getOut().flush();
        return ExitCode.DONE.code();
    }

    // Commands that only jobs run are not offered to users.
    private static CommandLine shown() {
        CommandLine all = CommandLines.all();
        List.copyOf(all.getSubcommands().entrySet())
                .stream()
                .filter(entry -> entry.getValue().getCommandSpec().usageMessage().hidden())
                .forEach(entry -> all.getCommandSpec().removeSubcommand(entry.getKey()));
        return all;
    }

    private static String fish(CommandLine all) {
        StringBuilder script = new StringBuilder(
                "complete -c treehaul -n __fish_use_subcommand -l help -d 'Print help'\n");
        all.getSubcommands().forEach((name, line) -> {
            CommandSpec spec = line.getCommandSpec();
            script.append("complete -c treehaul -n __fish_use_subcommand -f -a ")
                    .append(name)
                    .append(" -d ")
                    .append(quoted(String.join(" ", spec.usageMessage().header())))
                    .append('\n');
            for (OptionSpec option : spec.options()) {
                script.append("complete -c treehaul -n '__fish_seen_subcommand_from ").append(name).append('\'');
                Arrays.stream(option.names())
                        .forEach(n -> script.append(n.startsWith("--") ? " -l " : " -s ")
                                .append(n.replaceFirst("^--?", "")));
                script.append(option.arity().min() > 0 ? " -r" : "")
                        .append(" -d ")
                        .append(quoted(option.description()[0]))
                        .append('\n');
            }
        });
        return script.toString();
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
