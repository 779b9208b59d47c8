// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.cli.config.Configuration;
import picocli.CommandLine;

class SettingCheckTest {

    @TempDir
    Path directory;

    private static void check(String name, String value) {
        SettingCheck.check(CommandLines.all(), name, value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"threads | 300 | --threads must be 1 to 256, not 300",
                    "threads | many | 'many' is not a whole number", "jobs | 0 | --jobs must be 1 or more, not 0",
                    "color | red | --color must be one of auto, always, never, not 'red'",
                    "verify | md5 | --verify must be one of xxh3, sha256, none, not 'md5'",
                    "scheduler | lsf | --scheduler must be one of", "chunk-size | 64Q | is not a size",
                    "preserve | modes | --preserve: unknown word 'modes'",
                    "one-file-system | yes | is neither true nor false",
                    "walltime | soon | --walltime must be minutes, H:MM", "exclude-from | /no/file | /no/file",
                    "batches | 0 | --batches must be 1 to", "strategy | best | --strategy must be one of",
                    "locality | on | --locality must be one of auto, off, not 'on'"})
    void aValueThatTheOptionRefusesIsAnError(String name, String value, String message) {
        assertThatThrownBy(() -> check(name, value)).isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"threads=8", "verify=sha256", "verify=", "preserve=mode,links", "exclude=*.o",
                    "one-file-system=true", "queue=-p short", "on-complete=mail ann", "space=/a/b", "bandwidth=200M",
                    "locality=off"})
    void aValueThatTheOptionAcceptsIsValid(String setting) {
        String[] parts = setting.split("=", 2);
        assertThatCode(() -> check(parts[0], parts[1])).doesNotThrowAnyException();
    }

    @Test
    void everySettingIsAnOptionOfACommand() {
        CommandLine all = CommandLines.all();
        assertThat(Configuration.names()).allSatisfy(name -> assertThat(all.getSubcommands().values())
                .anyMatch(line -> line.getCommandSpec().findOption("--" + name) != null));
    }

    private Map<String, String> environment(String settings) throws IOException {
        Path site = Files.writeString(directory.resolve("site"), settings);
        return Map.of("TREEHAUL_SITE_CONFIG", site.toString(), "XDG_CONFIG_HOME", directory.toString());
    }

    @Test
    void aPresetSetsTheOptionsOfTheCommandThatNamesIt() throws Exception {
        Path source = Files.createDirectories(directory.resolve("source"));
        Files.writeString(source.resolve("kept"), "1");
        Files.writeString(source.resolve("left.tmp"), "2");
        Files.setLastModifiedTime(source.resolve("kept"), FileTime.fromMillis(1000));
        Map<String, String> environment = environment(
                "progress = never\n[preset old]\npreserve = timestamps\nexclude = *.tmp\nspace = /unused\n");
        Path copy = directory.resolve("copy");
        int code = CommandLines.execute(
                new String[]{"cp", "-rT", "-q", "--preset", "old", source.toString(), copy.toString()}, environment);
        assertThat(code).isZero();
        assertThat(Files.getLastModifiedTime(copy.resolve("kept"))).isEqualTo(FileTime.fromMillis(1000));
        assertThat(copy.resolve("left.tmp")).doesNotExist();
        String[] unknown = {"cp", "--preset=new", source.toString(), directory.resolve("no").toString()};
        assertThat(CommandLines.execute(unknown, environment)).isEqualTo(2);
        assertThat(directory.resolve("no")).doesNotExist();
    }

    @Test
    void theSettingOfLocalityIsForPlansAndNotForCommandsThatListServers() throws Exception {
        String tree = Files.createDirectories(directory.resolve("tree")).toString();
        String plan = directory.resolve("plan").toString();
        Map<String, String> wrong = environment("progress = never\nlocality = on\n");
        assertThat(CommandLines.execute(new String[]{"walk", tree}, wrong)).isZero();
        String[] planning = {"plan", "-r", "-o", plan, tree, directory.resolve("copy").toString()};
        assertThat(CommandLines.execute(planning, wrong)).isEqualTo(2);
        assertThat(CommandLines.execute(planning, environment("progress = never\nlocality = off\n"))).isZero();
    }
}
