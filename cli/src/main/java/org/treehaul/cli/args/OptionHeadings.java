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
    private static final String OUTPUT = "Output:";

    // Only for a command with --delete: --force and --state-dir of others concern jobs.
    private static final String REMOVING = "Removing from the copy:";

    // Only for a command with --failures: --batches of others concerns plans.
    private static final String WORK = "Transfers instead of files:";
    private static final String PROCESSES = "Processes and their outputs:";
    private static final String MEASUREMENT = "Measurement:";
    private static final String PARALLEL_FILES = "Servers and segments of parallel files:";

    /** A command with more options than this groups them. */
    private static final int FEW = 13;

    private OptionHeadings() {}

    /** Groups the options in the help of a command if it has many. */
    public static void applyTo(CommandLine command) {
        if (areMany(command.getCommandSpec())) {
            command.getHelpSectionMap().put(UsageMessageSpec.SECTION_KEY_OPTION_LIST, OptionHeadings::render);
        }
    }

    private static boolean areMany(CommandSpec command) {
        return command.options().stream().filter(option -> !option.hidden()).count() > FEW;
    }

    /** Returns the names of options under their headings, in the order of the help. */
    private static Map<String, String> headings() {
        Map<String, String> all = new LinkedHashMap<>();
        all.put(EVERYDAY, "--long --printf --limit --max-depth --min-depth --exec --exec-batch "
                + "--pool --bound --idle -o --check -a -r -n -i -I --interactive --allow --dir --detach -u --space --index --below --print --summary --locality --content --repair --hash --info --forget --apart --all --uid --accept-loss --clean --exclude --dry-run --recursive --changes --silent --from --no-dereference --reference --no-preserve-root "
                + "--verify --threads --preset -v --human-readable --help");
        all.put(REMOVING,
                "--delete --detect-renames --max-delete --backup-dir --link-dest --compare-dest --force --state-dir");
        all.put(WORK, "--transfers --batches --attempts --failures");
        all.put("Counts, sums and groups:", "--count --sum --group-by --top --by");
        all.put("Directories and sizes to print:",
                "--summarize --total --separate-dirs --count-links --sort --threshold --apparent-size --bytes "
                        + "--inodes -k -m --si --block-size");
        all.put(PROCESSES,
                "--segments --at --launch --node --task --jar --parameter --timeout --retries --once --output-dir --outputs --join --tag");
        all.put(PARALLEL_FILES,
                "--stage --directory --listen --order --tls-cert --tls-key --directories --add-servers --servers --secret-file --tls --segments --stripe --copies --durable --lost --force --undo");
        all.put("Comparison:", "--compare --ignore --checksum --size-only --ignore-times --modify-window --trusted");
        all.put("Tree to simulate:", "--entries --shape --seed");
        all.put("Times and sizes to assume:",
                "--file-rate --byte-rate --status-time --server-rate --message-time --entry-bytes --pause --unit --lister --per-host");
        all.put(MEASUREMENT,
                "--clients --per-client --files --blocks --block-bytes --depth --way --repeats --direct --cold --durable --csv");
        all.put("Selecting entries:", "--where --include --exclude-from --files-from -0 -x");
        all.put("Destination and existing files:",
                "-t -T --parents --strip-trailing-slashes --update -f --remove-destination --in-place -b --backup -S");
        all.put("Attributes and links:",
                "-p --preserve --no-preserve --attributes-only -d -P -L -H -l -s --copy-contents");
        all.put("Data and speed:", "--bandwidth --rate --fsync --direct --sparse --reflink --chunk-size");
        all.put(OUTPUT,
                "-q --stats --metrics --progress --progress-interval --color --json --errors --log-file --manifest --record-shape");
        all.put("Jobs of a scheduler:",
                "--scheduler --space --jobs --wait --publish --queue --walltime --max-running --requeue --plan-in-job --pre --post "
                        + "--on-complete --finish-queue --finish-walltime --save --state-dir --force");
        all.put("Plans and batches:",
                "--plan --strategy --batches --batch-files --batch-bytes --locality --no-space-check");
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

    /**
     * Returns the visible options of a command under their headings, both in the order of the help. A command with few
     * options has one group, with an empty heading.
     */
    public static Map<String, List<OptionSpec>> groups(CommandSpec command) {
        List<OptionSpec> others = new ArrayList<>(command.options());
        others.removeIf(OptionSpec::hidden);
        Map<String, List<OptionSpec>> groups = new LinkedHashMap<>();
        if (!areMany(command)) {
            groups.put("", others);
            return groups;
        }
        Map<String, String> headings = headings();
        if (command.findOption("--delete") == null) {
            headings.remove(REMOVING);
        }
        if (command.findOption("--failures") == null) {
            headings.remove(WORK);
        }
        if (command.findOption("--allow") != null) {
            headings.computeIfPresent(EVERYDAY, (heading, names) -> names.replace(" -r ", " -r -f "));
        }
        if (command.findOption("--scheduler") != null) {
            headings.computeIfPresent(EVERYDAY, (heading, names) -> names.replace(" --space ", " "));
        } else {
            headings.merge(OUTPUT, " --on-complete", String::concat);
        }
        if (command.findOption("--directories") == null) {
            if (command.findOption("--secret-file") == null) {
                headings.remove(PARALLEL_FILES);
            } else {
                headings.put(PARALLEL_FILES, "--secret-file --tls --copies");
            }
        } else {
            headings.remove(PROCESSES);
        }
        if (command.findOption("--depth") == null) {
            headings.computeIfPresent(MEASUREMENT, (heading, names) -> names.replace(" --direct ", " "));
        }
        if (command.findOption("--strategy") != null) {
            headings.computeIfPresent(EVERYDAY, (heading, names) -> names.replace(" --locality ", " "));
        }
        headings.forEach((heading, names) -> {
            List<OptionSpec> group = new ArrayList<>();
            for (String name : names.split(" ", -1)) {
                // The first heading that names an option has it: --force of cp is also -f.
                others.stream()
                        .filter(option -> Arrays.asList(option.names()).contains(name) && !group.contains(option))
                        .forEach(group::add);
            }
            others.removeAll(group);
            groups.put(heading, group);
        });
        groups.computeIfAbsent(EVERYDAY, heading -> new ArrayList<>()).addAll(others);
        groups.values().removeIf(List::isEmpty);
        return groups;
    }

    private static String render(Help help) {
        List<OptionSpec> all = new ArrayList<>(help.commandSpec().options());
        all.removeIf(OptionSpec::hidden);
        boolean followsOperands = help.commandSpec().positionalParameters().stream().anyMatch(p -> !p.hidden());
        StringBuilder text = new StringBuilder(followsOperands ? "\n" : "");
        groups(help.commandSpec()).forEach((heading, group) -> {
            // All options determine the width of the columns, so that groups are aligned.
            Help.Layout layout = help.createDefaultLayout(all, List.of(), help.colorScheme());
            layout.addOptions(group, help.parameterLabelRenderer());
            text.append(heading).append('\n').append(layout).append('\n');
        });
        return text.substring(0, text.length() - 1);
    }
}
