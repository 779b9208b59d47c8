// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
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
        Files.write(user, List.of(lines));
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
    void aLinkToAFileThatDoesNotExistYetStaysALinkToTheSettings() throws IOException {
        Path kept = Files.createDirectory(directory.resolve("dotfiles")).resolve("config");
        Files.createDirectories(user.getParent());
        Files.createSymbolicLink(user, Path.of("middle"));
        Files.createSymbolicLink(user.resolveSibling("middle"), Path.of("../../dotfiles/config"));
        read().set("", "jobs", "8");
        assertThat(user).isSymbolicLink();
        assertThat(kept).hasContent("jobs = 8");
        read().set("", "jobs", "9");
        assertThat(kept).hasContent("jobs = 9");
        Files.delete(kept);
        Files.delete(kept.getParent());
        assertThatThrownBy(() -> read().set("", "jobs", "8")).isInstanceOf(IOException.class);
        assertThat(kept.getParent()).doesNotExist();
    }

    @Test
    void theDirectoryOfStateIsSetByTheNameThatUsersKnow() {
        environment.put("TREEHAUL_HOME", "/shared/ann");
        assertThat(value("state-dir")).isEqualTo("/shared/ann");
    }

    @Test
    void settingsFollowTheCommandAndPrecedeTheGivenOptions() throws IOException {
        user("jobs = 8", "threads = 3");
        assertThat(read().complete(new String[]{"cp", "a", "b"}, setting -> setting.name().equals("jobs")))
                .containsExactly("cp", "--jobs=8", "a", "b");
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
        assertThat(read().set("", "threads", "2")).isEqualTo(user);
        assertThat(Files.readAllLines(user)).containsExactly("# mine", "thrads = 1", "jobs = 8", "threads = 2");
        assertThat(read().unset("", "jobs")).isTrue();
        assertThat(read().unset("", "jobs")).isFalse();
        assertThat(Files.readAllLines(user)).containsExactly("# mine", "thrads = 1", "threads = 2");
        assertThatThrownBy(() -> read().set("", "thread", "2")).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no setting 'thread'; did you mean 'threads'?");
        assertThatThrownBy(() -> read().set("", "pre", "a\nb")).hasMessageContaining("one line");
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

    @Test
    void aPresetPrecedesTheEnvironmentAndTheFiles() throws IOException {
        Files.writeString(site, "threads = 2\n[preset fast]\nthreads = 64\nverify = xxh3\n");
        user("threads = 3", "[preset fast]", "threads = 32", "[preset careful]", "verify = sha256");
        environment.put("TREEHAUL_THREADS", "4");
        assertThat(value("threads")).isEqualTo("4");
        Configuration fast = read().with(List.of("fast"));
        assertThat(fast.complete(new String[]{"cp", "a"}, setting -> true)).containsExactly("cp", "--threads=32",
                "--verify=xxh3", "a");
        assertThat(fast.settings()).extracting(Setting::origin).containsExactly(user + ":3", site + ":4");
        assertThat(fast.isChosen(List.of("threads"))).isTrue();
        assertThat(read().isChosen(List.of("threads"))).isFalse();
        assertThat(read().with(List.of("fast", "careful")).settings()).extracting(Setting::value)
                .containsExactly("32", "sha256");
        assertThat(fast.complete(new String[]{"cp", "--threads", "1"}, setting -> true)).containsExactly("cp",
                "--verify=xxh3", "--threads", "1");
    }

    @Test
    void anUnknownPresetIsAnErrorThatListsThePresets() throws IOException {
        assertThatThrownBy(() -> read().with(List.of("fast"))).isInstanceOf(IllegalArgumentException.class)
                .hasMessage("there is no preset 'fast'; a section [preset NAME] of a settings file makes one: " + user);
        user("[preset nightly]", "threads = 3", "[preset slow]");
        assertThatThrownBy(() -> read().with(List.of("fast")))
                .hasMessage("there is no preset 'fast'; the presets are nightly, slow");
    }

    @Test
    void emptyVariablesCountAsUnset() throws IOException {
        Path home = Files.createDirectories(directory.resolve("other"));
        Files.writeString(Files.createDirectories(home.resolve(".config/treehaul")).resolve("config"), "threads = 3\n");
        environment.putAll(Map.of("XDG_CONFIG_HOME", "", "HOME", home.toString(), "TREEHAUL_SITE_CONFIG", ""));
        assertThat(value("threads")).isEqualTo("3");
        environment.put("HOME", "");
        assertThat(read().warnings()).isEmpty();
    }

    @Test
    void valuesInArgumentsAreThoseBeforeTheOperandsAfterTwoHyphens() {
        assertThat(Configuration.valuesIn(new String[]{"cp", "--preset", "a", "--preset=b", "--", "--preset=c"},
                "--preset")).containsExactly("a", "b");
        assertThat(Configuration.valuesIn(new String[]{"cp", "--preset"}, "--preset")).isEmpty();
    }

    @Test
    void aSectionThatIsNoPresetIsAWarningAndItsSettingsHaveNoEffect() throws IOException {
        user("threads = 3", "[nightly]", "threads = 4");
        assertThat(read().warnings()).containsExactly(
                user + ":2: ignored '[nightly]' and the settings below it: a section begins with [preset NAME]");
        assertThat(value("threads")).isEqualTo("3");
    }

    @Test
    void patternsAreRepeatedInOneFileAndAnEmptyValueRemovesThoseOfTheSite() throws IOException {
        Files.writeString(site, "exclude = *.o\nexclude = *.tmp\nverify = xxh3\n");
        assertThat(read().complete(new String[]{"cp"}, setting -> true)).containsExactly("cp", "--exclude=*.o",
                "--exclude=*.tmp", "--verify=xxh3");
        user("exclude = core", "verify =");
        assertThat(read().complete(new String[]{"cp"}, setting -> true)).containsExactly("cp", "--exclude=core");
    }

    @Test
    void aFileThatCannotBeReadIsAWarningAndTheOthersApply() throws IOException {
        Files.createDirectory(site);
        user("threads = 3");
        assertThat(read().warnings()).singleElement()
                .asString()
                .startsWith("the settings in " + site + " cannot be read and have no effect: ");
        assertThat(value("threads")).isEqualTo("3");
        Files.delete(user);
        Files.createDirectory(user);
        assertThatThrownBy(() -> read().set("", "threads", "2")).isInstanceOf(IOException.class);
        assertThat(user).isDirectory();
    }

    @Test
    void aMisspeltSettingIsRemovedByItsName() throws IOException {
        user("# comment", "thrads = 4", "threads = 3");
        assertThat(read().unset("", "thrads")).isTrue();
        assertThat(Files.readAllLines(user)).containsExactly("# comment", "threads = 3");
        assertThatThrownBy(() -> read().unset("", "thrads"))
                .hasMessage("there is no setting 'thrads'; did you mean 'threads'?");
        assertThatThrownBy(() -> read().unset("", "")).hasMessageStartingWith("there is no setting ''");
        assertThat(Files.readAllLines(user)).containsExactly("# comment", "threads = 3");
    }

    @Test
    void settingsOfAPresetAreChangedInItsSection() throws IOException {
        user("threads = 3", "", "[preset fast]", "threads = 4", "", "[preset slow]", "threads = 1");
        read().set("", "jobs", "8");
        read().set("fast", "threads", "64");
        read().set("fast", "verify", "xxh3");
        read().set("new", "threads", "5");
        read().set("", "threads", "2");
        assertThat(Files.readAllLines(user)).containsExactly("threads = 2", "jobs = 8", "", "[preset fast]",
                "threads = 64", "verify = xxh3", "", "[preset slow]", "threads = 1", "", "[preset new]", "threads = 5");
        assertThat(read().unset("slow", "threads")).isTrue();
        assertThat(read().unset("slow", "threads")).isFalse();
        assertThat(value("threads")).isEqualTo("2");
        assertThatThrownBy(() -> read().set("a b", "threads", "2")).hasMessageContaining("has no blanks");
    }

    @Test
    void relativePathsAreKeptAsAbsoluteOnes() throws Exception {
        String here = Path.of("").toAbsolutePath() + "/";
        read().save(Map.of("space", "pool", "publish", "sqlite:../site", "state-dir", "state", "queue", "-p short"));
        assertThat(user).content()
                .isEqualTo("publish = sqlite:" + here + "../site\nqueue = -p short\nspace = " + here
                        + "pool\nstate-dir = " + here + "state\n");
        for (String value : List.of("postgresql://db/jobs?schema=pool", "/srv/pool", "sqlite:/srv/pool",
                "partitions:/srv/list", "")) {
            read().set("", "space", value);
            assertThat(user).content().contains("space = " + value + "\n");
        }
        read().set("p", "space", "partitions:list");
        assertThat(user).content().contains("[preset p]\nspace = partitions:" + here + "list\n");
    }
}
