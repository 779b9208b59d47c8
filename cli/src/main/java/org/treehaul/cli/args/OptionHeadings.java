// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Groups the options in the help of commands with many options by task, with the everyday options first. */
public final class OptionHeadings {

    private static final String EVERYDAY = "Everyday options:";

    private OptionHeadings() {}

    /** Groups the options in the help of a command. */
    public static void applyTo(CommandLine command) {
        command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, OptionHeadings::render);
    }

    /** Returns the names of options under their headings, in the order of the help. */
    private static Map<String, String> headings() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(EVERYDAY, "-o -a -r -n -i -u --exclude --dry-run --verify --threads -v -h");
        all.put("Selecting entries:", "--include --exclude-from --files-from -0 -x");
        all.put("Destination and existing files:",
                "-t -T --parents --strip-trailing-slashes --update -f --remove-destination --in-place -b --backup -S");
        all.put("Attributes and links:",
                "-p --preserve --no-preserve --attributes-only -d -P -L -H -l -s --copy-contents");
        all.put("Data and speed:", "--bandwidth --fsync --sparse --reflink --chunk-size");
        all.put("Output:", "-q --stats --progress --progress-interval --color --json --errors --log-file");
        all.put("Jobs of a scheduler:",
                "--scheduler --jobs --wait --queue --walltime --max-running --requeue --plan-in-job --pre --post "
                        + "--on-complete --finish-queue --finish-walltime --save --state-dir --force");
        all.put("Plans and batches:", "--plan --strategy --batches --batch-files --batch-bytes --no-space-check");
        all.put("Ranks:", "--ranks --distribution --transport --profile");
        all.put("Ranks as separate processes, which scripts start:", "--meet --rank --port --rank-timeout");
        return all;
    }

    /** Returns the visible options of a command that no heading names; the help shows them among the everyday ones. */
    public static List<String> withoutHeading(CommandSpec command) {
        Set<String> named = headings().values()
                .stream()
                .flatMap(names -> Stream.of(names.split(" ", -1)))
                .collect(Collectors.toSet());
        return command.options()
                .stream()
                .filter(option -> !option.hidden() && Stream.of(option.names()).noneMatch(named::contains))
                .map(OptionSpec::longestName)
                .toList();
    }

    private static String render(Help help) {
        CommandSpec command = help.commandSpec();
        List<OptionSpec> all = new ArrayList<>(command.options());
        all.removeIf(OptionSpec::hidden);
        List<OptionSpec> others = new ArrayList<>(all);
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        headings().forEach((heading, names) -> {
            List<OptionSpec> group = new ArrayList<>();
            for (String name : names.split(" ", -1)) {
                // The first heading that names an option has it: --force of cp is also -f.
                others.stream().filter(option -> Arrays.asList(option.names()).contains(name)).forEach(group::add);
            }
            others.removeAll(group);
            groups.put(heading, group);
        });
        groups.computeIfAbsent(EVERYDAY, heading -> new ArrayList<>()).addAll(others);
        StringBuilder text = new StringBuilder();
        groups.forEach((heading, group) -> {
            if (!group.isEmpty()) {
                // All options determine the width of the columns, so that groups are aligned.
                Help.Layout layout = help.createDefaultLayout(all, List.of(), help.colorScheme());
                layout.addOptions(group, help.parameterLabelRenderer());
                text.append(text.isEmpty() ? "" : "\n").append(heading).append('\n').append(layout);
            }
        });
        return text.toString();
    }
}
