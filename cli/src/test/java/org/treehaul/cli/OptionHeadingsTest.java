// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.cli.args.OptionHeadings;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.OptionSpec;

class OptionHeadingsTest {

    private static CommandLine command(String name) {
        return Objects.requireNonNull(CommandLines.all().getSubcommands().get(name));
    }

    private static List<String> help(String command) {
        return command(command).getUsageMessage(Ansi.OFF).lines().toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"cp", "plan", "resume", "verify"})
    void eachOptionIsListedOnce(String command) {
        List<String> help = help(command);
        for (OptionSpec option : command(command).getCommandSpec().options()) {
            String name = option.longestName().replace("--requeue", "--[no-]requeue");
            Pattern line = Pattern.compile("  (    )?(-\\S, )*" + Pattern.quote(name) + "([=\\[ ].*)?");
            assertThat(help).filteredOn(text -> line.matcher(text).matches()).as(name).hasSize(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cp", "plan", "resume", "verify"})
    void eachOptionHasAHeading(String command) {
        assertThat(OptionHeadings.withoutHeading(command(command).getCommandSpec())).isEmpty();
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
}
