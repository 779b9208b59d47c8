// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.config.Setting;

/**
 * The settings as lines of a settings file, each with its origin.
 *
 * @param all whether the settings that have no value are included
 * @param withPresets whether the presets are included
 */
record SettingsReport(Configuration configuration, boolean all, boolean withPresets) {

    String text() {
        Map<String, List<Setting>> set = configuration.settings()
                .stream()
                .collect(Collectors.groupingBy(Setting::name));
        StringBuilder text = new StringBuilder();
        for (String name : Configuration.names()) {
            set.getOrDefault(name, List.of()).forEach(setting -> text.append(line(setting)));
            if (all && !set.containsKey(name)) {
                text.append("# ").append(name).append(" (").append(Configuration.variable(name)).append(")\n");
            }
        }
        if (withPresets) {
            configuration.presets().forEach((preset, settings) -> {
                text.append(text.isEmpty() ? "[preset " : "\n[preset ")
                        .append(ExactArguments.printable(preset))
                        .append("]\n");
                settings.forEach(setting -> text.append(line(setting)));
            });
        }
        return text.toString();
    }

    private static String line(Setting setting) {
        return setting.name() + " = " + ExactArguments.printable(setting.value()) + "  # " + setting.origin() + "\n";
    }
}
