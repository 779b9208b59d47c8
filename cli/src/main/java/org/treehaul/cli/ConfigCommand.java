// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.config.Setting;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul config}: shows the settings and where they come from. */
final class ConfigCommand implements Callable<Integer> {

    /** The action on the settings. */
    enum Action {
        show
    }

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private boolean all;

    /** Defines the command for Picocli. */
    ConfigCommand() {
        spec.name("config");
        spec.usageMessage()
                .header("Show settings and their origins.")
                .customSynopsis("treehaul config show [--all]")
                .description("%nAn option on the command line overrides an environment variable, which overrides the "
                        + "user's file (~/.config/treehaul/config), which overrides the site's (/etc/treehaul/config). A file "
                        + "contains lines NAME = VALUE; cp --save writes them.%n");
        spec.addPositional(Options.operand(Action.class, value -> {
        }).paramLabel("show").description("Print the name, value and origin of each setting.").build());
        spec.addOption(Options.flag(value -> all = value, "--all")
                .description("Print the settings that have no value too, with their environment variables.")
                .build());
        spec.addOption(Options.flag(value -> {
        }, "-h", "--help").usageHelp(true).description("Print this help.").build());
    }

    @Override
    public Integer call() {
        StringBuilder text = new StringBuilder();
        Map<String, Setting> set = Configuration.read(System.getenv())
                .settings()
                .stream()
                .collect(Collectors.toMap(Setting::name, Function.identity()));
        for (String name : Configuration.names()) {
            Setting setting = set.get(name);
            if (setting != null || all) {
                text.append(line(name, setting)).append('\n');
            }
        }
        spec.commandLine().getOut().print(text);
        spec.commandLine().getOut().flush();
        return ExitCode.DONE.code();
    }

    private static String line(String name, @Nullable Setting setting) {
        return setting == null
                ? "# " + name + " (" + Configuration.variable(name) + ")"
                : name + " = " + ExactArguments.printable(setting.value()) + "  # " + setting.origin();
    }
}
