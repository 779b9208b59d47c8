// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.PathConverter;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Builds Picocli's model of the command line and runs it. */
final class CommandLines {

    private static final Map<String, Supplier<CommandSpec>> COMMANDS = Map.of("cp", () -> new CpCommand().spec, "cmp",
            () -> new CmpCommand().spec, "walk", () -> new WalkCommand().spec, "completion",
            () -> new CompletionCommand().spec);

    /** In the order of the help. */
    private static final List<String> ORDER = List.of("cp", "cmp", "walk", "completion");

    private CommandLines() {}

    /** Runs the command that the arguments name and returns its exit code. */
    static int execute(String[] args) {
        String first = args.length > 0 ? args[0] : "";
        if (args.length == 1 && (first.equals("--version") || first.equals("-V"))) {
            return print(Version.text());
        }
        CommandLine commandLine = of(COMMANDS.containsKey(first) ? List.of(first) : ORDER);
        StringWriter printed = new StringWriter();
        commandLine.setOut(new PrintWriter(printed)).setErr(new PrintWriter(printed));
        int code = commandLine.execute(args);
        String text = printed.toString();
        return text.isEmpty() || print(text) == ExitCode.DONE.code() ? code : ExitCode.TROUBLE.code();
    }

    private static int print(String text) {
        Output output = Output.standard();
        output.line(text.stripTrailing());
        output.flush();
        if (output.problem().isPresent()) {
            Screen.standard("", false).error(output.problem().get());
            return ExitCode.TROUBLE.code();
        }
        return ExitCode.DONE.code();
    }

    /** Returns the whole model, for help and completion. */
    static CommandLine all() {
        return of(ORDER);
    }

    // A command that is not called is not loaded: its model costs as much time as a small copy.
    private static CommandLine of(List<String> commands) {
        CommandLine commandLine = new CommandLine(new TreehaulCommand().spec);
        for (String name : commands) {
            commandLine.addSubcommand(name, Objects.requireNonNull(COMMANDS.get(name)).get());
        }
        return commandLine
                // A path may begin with "@".
                .setExpandAtFiles(false)
                .setOverwrittenOptionsAllowed(true)
                .setCaseInsensitiveEnumValuesAllowed(false)
                .setColorScheme(CommandLine.Help.defaultColorScheme(ansi()))
                .setUsageHelpWidth(100)
                .registerConverter(ByteString.class, new PathConverter())
                .registerConverter(ByteSize.class, new ByteSize.Converter())
                .setParameterExceptionHandler(CommandLines::explain)
                .setExecutionExceptionHandler((e, line, result) -> {
                    throw e;
                });
    }

    private static Ansi ansi() {
        return Terminal.wantsColor("auto", Terminal.OUT) ? Ansi.ON : Ansi.OFF;
    }

    private static int explain(ParameterException problem, String[] args) {
        CommandLine line = problem.getCommandLine();
        String name = line.getParent() == null ? "" : line.getCommandName();
        Screen screen = Screen.standard(name, Terminal.wantsColor("auto", Terminal.ERR));
        screen.error(problem instanceof UsageException
                ? String.valueOf(problem.getMessage())
                : ExactArguments.printable(UsageErrors.describe(problem)));
        screen.note("try 'treehaul " + (name.isEmpty() ? "" : name + " ") + "--help'");
        return ExitCode.TROUBLE.code();
    }
}
