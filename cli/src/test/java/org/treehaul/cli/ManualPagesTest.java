// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.cli.help.ManualPages;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class ManualPagesTest {

    private static final CommandLine ALL = CommandLines.all();

    private final Map<String, String> pages = pages(ALL);

    @TempDir
    Path directory;

    private static Map<String, String> pages(CommandLine all) {
        return new ManualPages(all, "TreeHaul 1", "2026-01-02", CommandLines::applies).pages();
    }

    private List<String> visible() {
        return ALL.getSubcommands()
                .entrySet()
                .stream()
                .filter(command -> !command.getValue().getCommandSpec().usageMessage().hidden())
                .map(Map.Entry::getKey)
                .toList();
    }

    @Test
    void eachVisibleCommandHasAPage() {
        List<String> expected = new ArrayList<>(List.of("treehaul.1"));
        visible().forEach(command -> expected.add("treehaul-" + command + ".1"));
        assertThat(pages.keySet()).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Test
    void aPageHasEachOptionOfItsCommand() {
        for (String command : visible()) {
            CommandLine line = Objects.requireNonNull(ALL.getSubcommands().get(command));
            String page = Objects.requireNonNull(pages.get("treehaul-" + command + ".1"));
            for (OptionSpec option : line.getCommandSpec().options()) {
                String name = option.negatable() ? "[no-]" + option.longestName().substring(2) : option.longestName();
                assertThat(page.contains(name.replace("-", "\\-") + "\\fR")).as(name).isEqualTo(!option.hidden());
            }
        }
    }

    @Test
    void aPageHasExitCodesVariablesFilesAndExamples() {
        assertThat(pages.get("treehaul-cp.1")).contains(".SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\nAll copied.\n",
                "\\fBTREEHAUL_THREADS\\fR\nValue of \\-\\-threads.\n", "\\fBtreehaul\\-cmp\\fR(1)",
                ".SH \"EXAMPLES\"\n.nf\n.RS 4\ntreehaul cp \\-a");
        assertThat(pages.get("treehaul-verify.1")).contains("\\fBwith \\-\\-wait 23\\fR\nSomething differs")
                .doesNotContain("TREEHAUL_JOBS");
    }

    @Test
    void specialCharactersAreEscaped() {
        CommandLine line = CommandLines.all();
        Objects.requireNonNull(line.getSubcommands().get("cp"))
                .getCommandSpec()
                .usageMessage()
                .description(".TH 'a\\\\b' ~x");
        assertThat(pages(line).get("treehaul-cp.1")).contains("\n\\&.TH \\(aqa\\(rs\\(rsb\\(aq \\(tix\n");
    }

    @Test
    void manAndMandocReadThePagesWithoutAWarning() throws Exception {
        for (Map.Entry<String, String> page : pages.entrySet()) {
            Files.writeString(directory.resolve(page.getKey()), page.getValue());
        }
        List<String> files = pages.keySet().stream().map(name -> directory.resolve(name).toString()).toList();
        assumeTrue(isInstalled("mandoc"), "mandoc is not installed");
        List<String> command = new ArrayList<>(List.of("mandoc", "-T", "lint", "-W", "warning"));
        command.addAll(files);
        assertThat(output(command)).isEmpty();
        assumeTrue(isInstalled("groff"), "groff is not installed");
        command = new ArrayList<>(List.of("groff", "-man", "-ww", "-z", "-Kutf8"));
        command.addAll(files);
        assertThat(output(command)).isEmpty();
    }

    private static boolean isInstalled(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    private static String output(List<String> command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
