// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConfigurationTest {

    @TempDir
    Path directory;

    private final Map<String, String> environment = new HashMap<>();
    private Path site;
    private Path user;

    @BeforeEach
    void files() {
        site = directory.resolve("site");
        user = directory.resolve("home/treehaul/config");
        environment.put("TREEHAUL_SITE_CONFIG", site.toString());
        environment.put("XDG_CONFIG_HOME", directory.resolve("home").toString());
    }

    private Configuration read() {
        return Configuration.read(environment);
    }

    private void user(String... lines) throws IOException {
        Files.createDirectories(user.getParent());
        Files.write(user, java.util.List.of(lines));
    }

    private String value(String name) {
        return read().settings()
                .stream()
                .filter(setting -> setting.name().equals(name))
                .map(Setting::value)
                .findFirst()
                .orElse("");
    }

    @Test
    void withoutFilesNothingIsSet() {
        assertThat(read().settings()).isEmpty();
        assertThat(read().complete(new String[]{"cp", "a", "b"}, option -> true)).containsExactly("cp", "a", "b");
    }

    @Test
    void theEnvironmentPrecedesTheUserAndTheUserTheSite() throws IOException {
        Files.writeString(site, "jobs = 4\nqueue=-p batch\nscheduler = slurm\n");
        user("# mine", "", "jobs = 8", "queue = -p short");
        environment.put("TREEHAUL_JOBS", "16");
        assertThat(value("jobs")).isEqualTo("16");
        assertThat(value("queue")).isEqualTo("-p short");
        assertThat(value("scheduler")).isEqualTo("slurm");
        assertThat(read().settings()).extracting(Setting::origin)
                .containsExactly("TREEHAUL_JOBS", user + ":4", site + ":3");
    }

    @Test
    void theDirectoryOfStateIsSetByTheNameThatUsersKnow() {
        environment.put("TREEHAUL_HOME", "/shared/ann");
        assertThat(value("state-dir")).isEqualTo("/shared/ann");
    }

    @Test
    void settingsComeAfterTheCommandAndBeforeWhatIsGiven() throws IOException {
        user("jobs = 8", "threads = 3");
        assertThat(read().complete(new String[]{"cp", "a", "b"}, "--jobs"::equals)).containsExactly("cp", "--jobs=8",
                "a", "b");
    }

    @Test
    void optionsOnTheCommandLineReplaceConfiguredOnes() throws IOException {
        user("queue = -p short", "jobs = 2");
        assertThat(read().complete(new String[]{"cp", "--queue", "-p long", "--jobs=3", "a"}, option -> true))
                .containsExactly("cp", "--queue", "-p long", "--jobs=3", "a");
        assertThat(read().complete(new String[]{"cp", "--", "--jobs=3"}, option -> true)).contains("--jobs=2");
    }

    @Test
    void anUnknownSettingIsAWarningWithItsPlaceAndTheNearestSetting() throws IOException {
        user("thrads = 1", "jobs = 8", "speed = max", "jobs 8");
        assertThat(read().warnings()).containsExactly(
                user + ":1: ignored the unknown setting 'thrads'; did you mean 'threads'?",
                user + ":3: ignored the unknown setting 'speed'; 'treehaul config show --all' lists all settings",
                user + ":4: ignored 'jobs 8': write NAME = VALUE");
        assertThat(value("jobs")).isEqualTo("8");
    }

    @Test
    void aSettingIsSetAndUnsetInTheFileOfTheUser() throws IOException {
        Files.writeString(site, "threads = 2\n");
        user("# mine", "thrads = 1", "jobs = 8");
        assertThat(read().set("threads", "2")).isEqualTo(user);
        assertThat(Files.readAllLines(user)).containsExactly("# mine", "thrads = 1", "jobs = 8", "threads = 2");
        assertThat(read().unset("jobs")).isTrue();
        assertThat(read().unset("jobs")).isFalse();
        assertThat(Files.readAllLines(user)).containsExactly("# mine", "thrads = 1", "threads = 2");
        assertThatThrownBy(() -> read().set("thread", "2")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no setting 'thread'; did you mean 'threads'?");
        assertThatThrownBy(() -> read().set("pre", "a\nb")).hasMessageContaining("one line");
    }

    @Test
    void savingKeepsTheOtherLines() throws IOException {
        user("# mine", "jobs = 8", "queue = -p short", "jobs = 9");
        assertThat(read().save(Map.of("jobs", "32", "scheduler", "pbs"))).isEqualTo(user);
        assertThat(Files.readAllLines(user)).containsExactly("# mine", "jobs = 32", "queue = -p short",
                "scheduler = pbs");
    }

    @Test
    void savingMakesTheFileAndItsDirectory() throws IOException {
        read().save(Map.of("jobs", "32"));
        assertThat(value("jobs")).isEqualTo("32");
    }
}
