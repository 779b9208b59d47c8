// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;

import org.treehaul.cli.args.Abbreviations;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.FreeText;
import org.treehaul.cli.args.HelpLetter;
import org.treehaul.cli.args.OptionHeadings;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.args.PathConverter;
import org.treehaul.cli.args.Synopsis;
import org.treehaul.cli.args.UserCommand;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.OnComplete;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.common.Version;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.config.JobSettings;
import org.treehaul.cli.config.Setting;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Builds Picocli's model of the command line and runs it. */
public final class CommandLines {

    private static final Set<String> OF_EVERY_COMMAND = Set.of("state-dir", "color", "progress", "progress-interval");

    // With an operand of one of these commands, -h asks for the help of that operand.
    private static final Set<CommandEntry> HAVE_WORDS = Set.of(CommandEntry.CONFIG, CommandEntry.HELP,
            CommandEntry.COMPLETION);

    private static final String SETTINGS = "Environment variables and settings files set defaults of options: "
            + "'treehaul config show --all' lists them.";

    /** Carries a command's exception through Picocli. */
    private static final class Unexpected extends Error {

        private static final long serialVersionUID = 1;
        private final Exception cause;

        Unexpected(Exception cause) {
            super(cause);
            this.cause = cause;
        }

        Exception cause() {
            return cause;
        }
    }

    private CommandLines() {}

    /**
     * Runs the command named by the arguments and returns its exit code.
     *
     * @param environment the environment variables, which may contain settings
     * @throws Exception an unexpected failure of the command
     */
    static int execute(String[] args, Map<String, String> environment) throws Exception {
        String first = args.length > 0 ? args[0] : "";
        if (args.length == 1 && (first.equals("--version") || first.equals("-V"))) {
            return print(Version.text());
        }
        if (args.length == 2 && List.of("--version", "-V").stream().anyMatch(List.of(args)::contains)
                && List.of("--verbose", "-v").stream().anyMatch(List.of(args)::contains)) {
            return print(Version.details());
        }
        QuickStart.withoutGroovy();
        InstalledLibrary.use();
        CommandEntry command = CommandEntry.named(first).orElse(null);
        CommandLine commandLine = command == null ? all() : of(command);
        // A misspelt command is an error even if help is requested.
        String[] completed = command != null || first.startsWith("-") || args.length == 0 ? args : new String[]{first};
        if (command != null) {
            Configuration configuration = Configuration.read(environment);
            if (!configuration.warnings().isEmpty()) {
                Screen screen = Screen.standard("", Terminal.wantsColor("auto", Terminal.ERR));
                configuration.warnings().forEach(warning -> screen.note("warning: " + warning));
            }
            CommandSpec spec = Objects.requireNonNull(commandLine.getSubcommands().get(first)).getCommandSpec();
            String[] given;
            try {
                given = command.read(spec,
                        Abbreviations.expand(spec, UserCommand.joined(args), command.optionsOfGnu()));
                if (command != CommandEntry.CONFIG) {
                    configuration = configuration.with(Configuration.valuesIn(given, Configuration.PRESET));
                }
            } catch (IllegalArgumentException e) {
                return explain(new UsageException(spec.commandLine(), String.valueOf(e.getMessage())), List.of());
            }
            if (HelpLetter.isMisused(spec, given) && !HAVE_WORDS.contains(command)) {
                return explain(new UsageException(spec.commandLine(),
                        "-h prints the help and does no work; leave it out, or give it alone"), List.of());
            }
            completed = configuration.complete(given, new SettingSelector(command, spec, given, configuration));
            completed = FreeText.OPTIONS.stream().anyMatch(name -> Options.find(spec, name) != null)
                    ? FreeText.shield(completed)
                    : completed;
            String[] typed = given;
            List<Setting> settings = configuration.settings()
                    .stream()
                    .filter(setting -> !Configuration.isGiven(typed, "--" + setting.name()))
                    .toList();
            commandLine.setParameterExceptionHandler((problem, all) -> explain(problem, settings));
        }
        StringWriter printed = new StringWriter();
        commandLine.setOut(new PrintWriter(printed)).setErr(new PrintWriter(printed));
        int code = ExitCode.TROUBLE.code();
        try {
            code = commandLine.execute(completed);
        } catch (Unexpected e) {
            throw e.cause();
        } finally {
            // Also after an error such as one of memory.
            if (command != null && command.mayComplete() && !JobSettings.makeJobs(completed)) {
                complete(Objects.requireNonNull(commandLine.getSubcommands().get(first)), code);
            }
        }
        String text = printed.toString();
        return text.isEmpty() || print(text) == ExitCode.DONE.code() ? code : ExitCode.TROUBLE.code();
    }

    // A preset applies by the settings that it contains.
    private static void addPreset(CommandEntry command, CommandSpec spec) {
        boolean hasSettings = command == CommandEntry.CONFIG
                || Configuration.names().stream().anyMatch(name -> Options.find(spec, "--" + name) != null);
        if (hasSettings && !spec.usageMessage().hidden()) {
            Options.add(spec, Options.value(String.class, value -> {
            }, Configuration.PRESET), "NAME", command == CommandEntry.CONFIG
                    ? "Show the settings that apply with this preset, or change those of the preset."
                    : "Use the settings of this preset, a section [preset NAME] of a settings file; see 'treehaul config'.");
            if (command != CommandEntry.CONFIG) {
                List<String> footer = new ArrayList<>(List.of(spec.usageMessage().footer()));
                footer.add((footer.isEmpty() ? "%n" : "") + SETTINGS);
                spec.usageMessage().footer(footer.toArray(String[]::new));
            }
        }
    }

    /** Returns whether a setting takes the place of the option of this name of a command that has this option. */
    static boolean applies(String command, String setting) {
        return CommandEntry.named(command).filter(CommandEntry::isContinuation).isEmpty()
                || OF_EVERY_COMMAND.contains(setting);
    }

    // Jobs run the command of the user themselves, and ranks of a group would run it once each.
    private static void complete(CommandLine command, int code) throws InterruptedException {
        ParseResult given = command.getParseResult();
        if (given != null && given.hasMatchedOption(OnComplete.OPTION) && !given.hasMatchedOption("--meet")) {
            OnComplete.run(given.matchedOption(OnComplete.OPTION).stringValues().getLast(), code,
                    Screen.standard(command.getCommandName(), Terminal.wantsColor("auto", Terminal.ERR)));
        }
    }

    private static int print(String text) {
        Output output = Output.standard();
        // Help, with the colours of its options, and settings, which are printable.
        byte[] bytes = (text.stripTrailing() + "\n").getBytes(StandardCharsets.UTF_8);
        output.write(bytes, bytes.length);
        output.flush();
        if (output.problem().isPresent()) {
            Screen.standard("", false).error(output.problem().get());
            return ExitCode.TROUBLE.code();
        }
        return ExitCode.DONE.code();
    }

    /** Returns the whole model, for help and completion. */
    public static CommandLine all() {
        return of(CommandEntry.values());
    }

    private static CommandLine of(CommandEntry... commands) {
        CommandLine commandLine = new CommandLine(new TreehaulCommand().spec);
        CommandGroups.applyTo(commandLine);
        for (CommandEntry command : commands) {
            CommandSpec spec = command.make();
            addPreset(command, spec);
            Synopsis.applyTo(spec);
            commandLine.addSubcommand(command.title(), spec);
            OptionHeadings.applyTo(Objects.requireNonNull(commandLine.getSubcommands().get(command.title())));
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
                .setParameterExceptionHandler((problem, args) -> explain(problem, List.of()))
                .setExecutionExceptionHandler((e, line, result) -> {
                    // Picocli would print any exception itself, and exit with a code that has another meaning here.
                    throw new Unexpected(e);
                });
    }

    private static Ansi ansi() {
        return Terminal.wantsColor("auto", Terminal.OUT) ? Ansi.ON : Ansi.OFF;
    }

    // Values that are checked after parsing are reported with the name of the option in the message.
    private static boolean isAbout(ParameterException problem, String option) {
        return problem.getArgSpec() instanceof OptionSpec spec
                ? spec.longestName().equals(option)
                : Pattern.compile(Pattern.quote(option) + "(?![a-z-])").matcher(problem.getMessage()).find();
    }

    private static int explain(ParameterException problem, List<Setting> settings) {
        CommandLine line = problem.getCommandLine();
        String name = line.getParent() == null ? "" : line.getCommandName();
        Screen screen = Screen.standard(name, Terminal.wantsColor("auto", Terminal.ERR));
        screen.error(problem instanceof UsageException
                ? String.valueOf(problem.getMessage())
                : ExactArguments.printable(UsageErrors.describe(problem)));
        settings.stream()
                .filter(setting -> isAbout(problem, "--" + setting.name()))
                .forEach(setting -> screen.note(setting.name() + " is set by " + setting.origin()));
        screen.note("try 'treehaul " + (name.isEmpty() ? "" : name + " ") + "--help'");
        return ExitCode.TROUBLE.code();
    }
}
