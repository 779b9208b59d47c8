// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.UsageException;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.config.Setting;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul config}: shows the settings and where they come from, and changes those of the user. */
final class ConfigCommand implements Callable<Integer> {

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private List<String> operands = List.of();
    private boolean all;

    /** Defines the command for Picocli. */
    ConfigCommand() {
        spec.name("config");
        spec.usageMessage()
                .header("Show and change settings.")
                .customSynopsis("treehaul config [show] [--all]", "treehaul config set NAME VALUE",
                        "treehaul config unset NAME")
                .description(
                        "%nPrints the name, value and origin of each setting, or changes one in the user's file. An "
                                + "option on the command line overrides an environment variable, which overrides the "
                                + "user's file (~/.config/treehaul/config), which overrides the site's (/etc/treehaul/config). A file "
                                + "contains lines NAME = VALUE.%n")
                .footer("%nExamples:", "  treehaul config set threads 16", "  treehaul config show --all",
                        "%nExit codes: 0 done, 2 there is no such setting, or the file cannot be read or written.");
        spec.addPositional(Options.operands(String.class, () -> operands, value -> operands = value)
                .paramLabel("show|set|unset")
                .hidden(true)
                .build());
        spec.addOption(Options.flag(value -> all = value, "--all")
                .description("Print the settings that have no value too, with their environment variables.")
                .build());
        spec.addOption(Options.flag(value -> {
        }, "-h", "--help").usageHelp(true).description("Print this help.").build());
    }

    @Override
    public Integer call() {
        Configuration configuration = Configuration.read(System.getenv());
        String action = operands.isEmpty() ? "show" : operands.getFirst();
        try {
            switch (action + " " + Math.max(0, operands.size() - 1)) {
                case "show 0" -> print(show(configuration));
                case "set 2" -> configuration.set(operands.get(1), operands.get(2));
                case "unset 1" -> {
                    if (!configuration.unset(operands.get(1))) {
                        print("# " + operands.get(1) + " was not set in your file\n");
                    }
                }
                default -> throw new IllegalArgumentException(
                        "use 'config show', 'config set NAME VALUE' or 'config unset NAME'");
            }
        } catch (IllegalArgumentException e) {
            throw new UsageException(spec.commandLine(), String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new IllegalArgumentException("config: the settings cannot be written: " + e, e);
        }
        return ExitCode.DONE.code();
    }

    private String show(Configuration configuration) {
        Map<String, Setting> set = configuration.settings()
                .stream()
                .collect(Collectors.toMap(Setting::name, Function.identity()));
        StringBuilder text = new StringBuilder();
        for (String name : Configuration.names()) {
            Setting setting = set.get(name);
            if (setting != null || all) {
                text.append(line(name, setting)).append('\n');
            }
        }
        return text.toString();
    }

    private void print(String text) {
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
    }

    private static String line(String name, @Nullable Setting setting) {
        return setting == null
                ? "# " + name + " (" + Configuration.variable(name) + ")"
                : name + " = " + ExactArguments.printable(setting.value()) + "  # " + setting.origin();
    }
}
