// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.treehaul.cli.config.Configuration;
import org.treehaul.cli.config.Setting;
import picocli.CommandLine.Model.CommandSpec;

class SettingSelectorTest {

    private static boolean isSelected(String line, String setting) {
        String[] given = line.split(" ", -1);
        String[] parts = setting.split("=", 2);
        CommandEntry entry = CommandEntry.named(given[0]).orElseThrow();
        CommandSpec spec = Objects.requireNonNull(CommandLines.all().getSubcommands().get(given[0])).getCommandSpec();
        Configuration none = Configuration
                .read(Map.of("TREEHAUL_SITE_CONFIG", "/nonexistent", "XDG_CONFIG_HOME", "/nonexistent"));
        return new SettingSelector(entry, spec, given, none).test(new Setting(parts[0], parts[1], "a test", false));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"cp -a a stage:job/b | state-dir=/s", "cp -a stage:job/b a | chunk-size=1M",
                    "cp -a -t stage:job a | one-file-system=true", "cp -a -tstage:job a | state-dir=/s",
                    "cp -a --target-directory=stage:job a | state-dir=/s", "cp -a -- a stage:job/b | state-dir=/s",
                    "cp a stage:job/b | reflink=always", "cp a stage:job/b | preserve=mode,links",
                    "cmp a stage:job/b | one-file-system=true", "cmp a stage:job/b | chunk-size=1M",
                    "walk stage:job/b | one-file-system=true", "find --index i d | exclude=.snapshot",
                    "find --index=i | exclude-from=f", "du --index i d | one-file-system=true",
                    "sync --jobs 2 a b | plan-in-job=true", "rm --jobs 2 a | plan-in-job=true",
                    "chmod --jobs 2 go= a | plan-in-job=true", "run --jobs 2 a -- cat | plan-in-job=true",
                    "rm --jobs 2 a | strategy=streaming", "chown --jobs 2 0 a | strategy=streaming",
                    "run --jobs 2 a -- cat | strategy=streaming",
                    "sync --scheduler slurm --ranks 2 a b | strategy=streaming",
                    "cp --scheduler slurm --ranks 2 a b | strategy=streaming",
                    "cp --jobs 2 --batches 9 a b | strategy=streaming",
                    "cp --jobs 2 --strategy streaming a b | batches=9",
                    "cp --scheduler slurm --ranks 2 a b | max-running=3", "run d -- echo stage:x | space=s",
                    "status last | batches=3", "query --batches last | batches=3", "find d | locality=off"})
    void aSettingThatTheCommandDoesNotTakeInThisFormIsLeftOut(String line, String setting) {
        assertThat(isSelected(line, setting)).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"cp -a a b | state-dir=/s", "cp -a --exclude stage:x a b | one-file-system=true",
                    "cp a stage:job/b | exclude=*.o", "cp a stage:job/b | space=s", "cp a stage:job/b | reflink=auto",
                    "cp a stage:job/b | preserve=mode,all", "cp a stage:job/b | preserve=no-such-word",
                    "cmp a stage:job/b | exclude=*.o", "walk stage:job/b | threads=3", "cmp a b | one-file-system=true",
                    "find d | exclude=.snapshot", "du d | one-file-system=true", "find --index i d | threads=3",
                    "cp --jobs 2 a b | plan-in-job=true", "sync --jobs 2 a b | strategy=streaming",
                    "cp --jobs 2 a b | strategy=streaming", "rm --jobs 2 a | strategy=round-robin",
                    "cp --jobs 2 a b | batches=9", "cp --jobs 2 a b | max-running=3",
                    "run --scheduler slurm d -- echo --scheduler pool | queue=short"})
    void anotherAppliesToIt(String line, String setting) {
        assertThat(isSelected(line, setting)).isTrue();
    }
}
