// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.treehaul.cli.help.CompletionScript;
import org.treehaul.cli.help.CompletionScript.Shell;
import org.treehaul.cli.help.ValueTable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Shells complete command lines by the scripts. No test starts treehaul: it is not on the PATH. */
class CompletionTest {

    private static final String ID = "20261122-195040-yfxz";
    private static final String USER = System.getProperty("user.name");

    /** Lines before TAB, and after it, without blanks at the end. */
    private static final Map<String, String> LINES = new LinkedHashMap<>();

    static {
        LINES.put("treehaul que", "treehaul query");
        LINES.put("treehaul cp -a me", "treehaul cp -a med/");
        LINES.put("treehaul cp wi", "treehaul cp with\\ blank/");
        LINES.put("treehaul cp --attributes-o", "treehaul cp --attributes-only");
        LINES.put("treehaul cp --color=al", "treehaul cp --color=always");
        LINES.put("treehaul cp --verify=sh", "treehaul cp --verify=sha256");
        LINES.put("treehaul cp --scheduler slu", "treehaul cp --scheduler slurm");
        LINES.put("treehaul cp --distribution=eq", "treehaul cp --distribution=equal-split");
        LINES.put("treehaul cp --strategy str", "treehaul cp --strategy streaming");
        LINES.put("treehaul cp --preserve=mode,own", "treehaul cp --preserve=mode,ownership");
        LINES.put("treehaul cp --exclude-from=pat", "treehaul cp --exclude-from=patterns.txt");
        LINES.put("treehaul cp --exclude-from pat", "treehaul cp --exclude-from patterns.txt");
        LINES.put("treehaul cp -t spa", "treehaul cp -t space.d/");
        LINES.put("treehaul cp --jobs me", "treehaul cp --jobs me");
        LINES.put("treehaul index --space=spa", "treehaul index --space=space.d/");
        LINES.put("treehaul query own", "treehaul query owner");
        LINES.put("treehaul query kind=reg", "treehaul query kind=regular");
        LINES.put("treehaul query --group-by ki", "treehaul query --group-by kind");
        LINES.put("treehaul status 2026", "treehaul status " + ID);
        LINES.put("treehaul status last me", "treehaul status last me");
        LINES.put("treehaul errors --state-dir other 2027", "treehaul errors --state-dir other 20270101-000000-abcd");
        LINES.put("treehaul forget --force al", "treehaul forget --force all");
        LINES.put("treehaul config set chu", "treehaul config set chunk-size");
        LINES.put("treehaul cp --preset nig", "treehaul cp --preset nightly");
        LINES.put("treehaul walk --preset=sit", "treehaul walk --preset=site-wide");
        LINES.put("treehaul stage dra", "treehaul stage drain");
        LINES.put("treehaul stage uns", "treehaul stage unsaved");
        LINES.put("treehaul run --outputs 2026", "treehaul run --outputs " + ID);
        LINES.put("treehaul publish --remove 2026", "treehaul publish --remove " + ID);
        LINES.put("treehaul help forg", "treehaul help forget");
    }

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource
    void tabCompletesCommandsOptionsPathsValuesAndTransfers(Shell shell) throws Exception {
        assumeTrue(isInstalled("python3"), "python3 is not installed");
        assumeTrue(isInstalled(shell.name()), shell + " is not installed");
        // The shells need not offer the last one, and must not carry it out.
        for (String name : List.of("med", "space.d", "with blank", USER + "/transfers/" + ID,
                "other/transfers/20270101-000000-abcd", "other/transfers/$(>carried-out)")) {
            Files.createDirectories(directory.resolve(name));
        }
        Path settings = Files.createDirectories(directory.resolve(".config/treehaul")).resolve("config");
        Files.writeString(settings, "threads = 4\n[preset nightly]\nverify = sha256\n");
        Path site = Files.writeString(directory.resolve("site"),
                "[ preset site-wide ]\nthreads = 4\n[preset $(>carried-out)]\n");
        Files.createFile(directory.resolve("spare"));
        Files.createFile(directory.resolve("patterns.txt"));
        Path script = Files.writeString(directory.resolve("script"), CompletionScript.of(shell, CommandLines.all()));
        assertThat(press(shell, script, site)).isEqualTo(List.copyOf(LINES.values()));
        assertThat(directory.resolve("carried-out")).doesNotExist();
    }

    @Test
    void aColonInTheLabelOfAValueIsNoEndOfItForZsh() {
        assertThat(CompletionScript.of(Shell.zsh, CommandLines.all())).contains(":OWNER\\:GROUP: '", ":HOST\\:PORT: '");
    }

    private List<String> press(Shell shell, Path script, Path site) throws IOException {
        Path program = directory.resolve("press-tab.py");
        try (InputStream in = Objects.requireNonNull(CompletionTest.class.getResourceAsStream("press-tab.py"))) {
            Files.copy(in, program);
        }
        List<String> command = new ArrayList<>(List.of("python3", program.toString(), shell.name(), script.toString()));
        command.addAll(LINES.keySet());
        ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
        builder.environment()
                .putAll(Map.of("TREEHAUL_HOME", directory.resolve("%u").toString(), "HOME", directory.toString(),
                        "TREEHAUL_SITE_CONFIG", site.toString(), "LC_ALL", "C.UTF-8"));
        builder.environment().remove("XDG_CONFIG_HOME");
        String answer = new String(builder.start().getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        // zsh ends a list with a comma that the next key removes.
        return answer.lines().map(line -> line.stripTrailing().replaceFirst(",$", "")).toList();
    }

    private static boolean isInstalled(String program) {
        return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
    }

    @Test
    void theValuesOfEachOptionAreKnown() {
        ValueTable table = new ValueTable(CommandLines.all());
        for (CommandLine line : CommandLines.all().getSubcommands().values()) {
            CommandSpec command = line.getCommandSpec();
            for (OptionSpec option : command.options()) {
                if (!command.usageMessage().hidden() && !option.hidden() && option.arity().max() > 0) {
                    assertThatCode(() -> table.option(command, option)).doesNotThrowAnyException();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aScriptOffersOnlyCommandsForUsers(Shell shell) {
        assertThat(CompletionScript.of(shell, CommandLines.all())).contains("simulate")
                .doesNotContain("planner", "finish)")
                .doesNotContainPattern("@[A-Z]+@");
    }
}
