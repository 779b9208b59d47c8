// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.report.Screen;
import org.treehaul.core.fs.PrivateFiles;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** {@code treehaul config}: shows the settings and where they come from, and changes those of the user. */
final class ConfigCommand implements Callable<Integer> {

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private List<String> operands = List.of();
    private final Supplier<CommandLine> commands;
    private boolean all;

    /**
     * Defines the command for Picocli.
     *
     * @param commands creates the model of all commands, whose options define the valid values
     */
    ConfigCommand(Supplier<CommandLine> commands) {
        this.commands = commands;
        spec.name("config");
        spec.usageMessage()
                .header("Show and change settings.")
                .customSynopsis("treehaul config [show] [--all] [--preset NAME]",
                        "       treehaul config set [--preset NAME] SETTING VALUE",
                        "       treehaul config unset [--preset NAME] SETTING")
                .description(
                        "%nPrints the name, value and origin of each setting, and the presets; or changes a setting in the "
                                + "user's file. A setting takes the place of an option. An option on the command line overrides a "
                                + "preset (--preset NAME), which overrides an environment variable, which overrides the user's "
                                + "file (~/.config/treehaul/config), which overrides the site's (/etc/treehaul/config). A file "
                                + "contains lines SETTING = VALUE; those after a line [preset NAME] belong to that preset.%n")
                .footer("%nExamples:", "  treehaul config set threads 16",
                        "  treehaul config set --preset nightly verify sha256",
                        "  treehaul cp -aT --preset nightly data backup", "  treehaul config show --all",
                        "%nExit codes: 0 done, 2 there is no such setting or preset, the value is not valid, or the file cannot be "
                                + "read or written.");
        spec.addPositional(Options.operands(String.class, () -> operands, value -> operands = value)
                .paramLabel("show|set|unset")
                .hidden(true)
                .build());
        Options.add(spec, Options.flag(value -> all = value, "--all"),
                "Print the settings that have no value too, with their environment variables.");
        spec.addOption(Options.help());
    }

    @Override
    public Integer call() {
        Configuration configuration = Configuration.read(System.getenv());
        List<String> presets = presets();
        String preset = presets.isEmpty() ? "" : presets.getLast();
        String action = operands.isEmpty() ? "show" : operands.getFirst();
        try {
            switch (action + " " + Math.max(0, operands.size() - 1)) {
                case "show 0" -> show(new SettingsReport(configuration.with(presets), all, presets.isEmpty()).text());
                case "set 2" -> {
                    Configuration.requireKnown(operands.get(1));
                    SettingCheck.check(commands.get(), operands.get(1), operands.get(2));
                    configuration.set(preset, operands.get(1), operands.get(2));
                }
                case "unset 1" -> {
                    if (!configuration.unset(preset, operands.get(1))) {
                        print("# " + operands.get(1) + " was not set in your file\n");
                    }
                }
                default -> throw new IllegalArgumentException(
                        "use 'config show', 'config set SETTING VALUE' or 'config unset SETTING'");
            }
        } catch (IllegalArgumentException e) {
            throw new UsageException(spec.commandLine(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new IllegalArgumentException("config: the settings cannot be changed: " + PrivateFiles.describe(e),
                    e);
        }
        return ExitCode.DONE.code();
    }

    private void show(String settings) {
        print(settings);
        if (settings.isEmpty()) {
            Screen.standard("config", false)
                    .note("nothing is set; 'treehaul config show --all' lists all settings, and "
                            + "'treehaul config set SETTING VALUE' sets one");
        }
    }

    private List<String> presets() {
        OptionSpec option = spec.commandLine().getParseResult().matchedOption(Configuration.PRESET);
        return option == null ? List.of() : option.originalStringValues();
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }
}
