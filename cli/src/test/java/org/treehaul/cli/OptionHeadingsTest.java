// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.cli.args.OptionHeadings;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;

class OptionHeadingsTest {

    private static final CommandLine ALL = CommandLines.all();

    private static CommandLine command(String name) {
        return Objects.requireNonNull(ALL.getSubcommands().get(name));
    }

    static List<String> commandsWithManyOptions() {
        return ALL.getSubcommands()
                .entrySet()
                .stream()
                .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
                .filter(command -> command.getValue().getCommandSpec().options().size() > 13)
                .map(Map.Entry::getKey)
                .toList();
    }

    private static List<String> help(String command) {
        return command(command).getUsageMessage(Ansi.OFF).lines().toList();
    }

    @ParameterizedTest
    @MethodSource("commandsWithManyOptions")
    void eachOptionIsListedOnce(String command) {
        List<String> help = help(command);
        for (OptionSpec option : command(command).getCommandSpec().options()) {
            String name = option.longestName().replace("--requeue", "--[no-]requeue");
            Pattern line = Pattern.compile("  (    )?(-\\S, )*" + Pattern.quote(name) + "([=\\[ ].*)?");
            assertThat(help).filteredOn(text -> line.matcher(text).matches()).as(name).hasSize(option.hidden() ? 0 : 1);
        }
    }

    @ParameterizedTest
    @MethodSource("commandsWithManyOptions")
    void eachOptionHasAHeading(String command) {
        assertThat(OptionHeadings.withoutHeading(command(command).getCommandSpec())).isEmpty();
    }

    @ParameterizedTest
    @MethodSource("commandsWithManyOptions")
    void onlyCommandsWithJobsHaveOptionsForJobs(String command) {
        boolean hasJobs = command(command).getCommandSpec().findOption("--jobs") != null;
        assertThat(help(command).contains("Jobs of a scheduler:")).isEqualTo(hasJobs);
    }

    @Test
    void commandsWithManyOptionsAreGroupedAndOthersAreNot() {
        assertThat(commandsWithManyOptions()).contains("cp", "rm", "cmp", "walk", "query", "simulate");
        assertThat(help("query")).contains("Everyday options:", "Counts, sums and groups:");
        assertThat(help("status")).noneMatch(line -> line.contains("Everyday"));
    }

    @Test
    void aSynopsisNamesTheOperandsAndNotEachOption() {
        assertThat(help("walk")).contains("Usage: treehaul walk [OPTION]... [ROOT]...");
        assertThat(help("resume")).contains("Usage: treehaul resume [OPTION]... ID");
        assertThat(help("cp")).contains("Usage: treehaul cp [OPTION]... [-T] SOURCE DEST");
    }

    @Test
    void everydayOptionsComeFirstAndThoseThatScriptsUseLast() {
        List<String> help = help("cp");
        List<String> headings = help.stream().filter(line -> line.matches("[A-Z].*:")).toList();
        assertThat(headings).startsWith("Everyday options:")
                .endsWith("Ranks as separate processes, which scripts start:", "Examples:");
        assertThat(help.get(help.indexOf("Everyday options:") + 1)).contains("-a, --archive");
        int last = help.indexOf("Ranks as separate processes, which scripts start:");
        assertThat(help.subList(last, help.size())).anyMatch(line -> line.contains("--meet=FILE"))
                .anyMatch(line -> line.contains("--rank-timeout=SECONDS"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"cp", "plan", "sync"})
    void localityOfBatchesIsBesideTheirOtherOptions(String command) {
        List<String> help = help(command);
        int batches = help.indexOf("Plans and batches:");
        assertThat(help.subList(batches, help.size())).anyMatch(line -> line.contains("--locality=WHEN"));
    }
}
