// SPDX-License-Identifier: Apache-2.0
package org.treehaul.packaged;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreehaulScriptTest {

    private static final String WITHOUT_OPTIMIZER = "-XX:TieredStopAtLevel=1";
    private static final String EARLY = "-XX:CompileCommand=CompileThresholdScaling,org.treehaul.";
    private static final Map<String, String> BARE = Run.BARE;

    @TempDir
    static Path shared;

    @TempDir
    Path dir;

    @Test
    void theScriptRunsInABareEnvironment() throws Exception {
        Run run = Run.of(BARE, trained(), "--version").expect(0);
        assertThat(run.out()).matches("treehaul \\d+\\.\\d+\\.\\d+.*\n");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void theScriptRunsThroughALinkInADirectoryWithSpaces() throws Exception {
        Path spaced = Files.createDirectories(dir.resolve("with some spaces"));
        Path link = Files.createSymbolicLink(spaced.resolve("th"), trained().toRealPath());
        assertThat(Run.of(BARE, link, "--version").expect(0).out()).startsWith("treehaul ");
        Files.delete(link);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"opt/bin/treehaul", "opt/bin//treehaul", "opt/bin/./treehaul", "opt/bin/d/../treehaul",
                    "link/treehaul"})
    void theScriptFindsItsInstallationByAnyPath(String path) throws Exception {
        Path java = Files.createDirectories(dir.resolve("opt/lib/treehaul/runtime/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\necho \"$0\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Path bin = dir.resolve("opt/bin");
        Files.createDirectories(bin.resolve("d"));
        Files.copy(Run.ROOT.resolve("treehaul"), bin.resolve("treehaul"));
        Files.createSymbolicLink(dir.resolve("link"), bin);
        Run run = Run.of(BARE, "sh", "-c", dir + "/" + path + " --version").expect(0);
        assertThat(run.out()).isEqualTo(java + "\n");
        assertThat(run.err()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "bash"})
    void filesOfJavaAreNoStandardStreams(String shell) throws Exception {
        // The redirection of a loop would change the streams of the shell.
        Path script = withJava("a=$(readlink /proc/$$/fd/0); b=$(readlink /proc/$$/fd/1); c=$(readlink /proc/$$/fd/2)\n"
                + "echo \"$a $b $c\" > ${0%/*}/streams");
        Run.of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk"), shell, "-c",
                "\"$0\" \"$1\" --version <&- >&- 2>&-", shell, script).expect(0);
        assertThat(dir.resolve("jdk/bin/streams")).hasContent("/dev/null /dev/null /dev/null\n");
    }

    @Test
    void aClosedInputIsNoList() throws Exception {
        // With --json no archive for copies is recorded beside the one that other tests take.
        Run run = Run.of(BARE, "sh", "-c", "\"$0\" cp --json -aT --files-from - \"$1\" \"$1/copy\" <&-", trained(), dir)
                .expect(2);
        assertThat(run.err()).contains("--files-from -: Bad file descriptor");
    }

    @Test
    void theScriptCopiesWhereTheAddressSpaceIsLimited() throws Exception {
        copyWithin(2_000_000);
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(ints = {4_000_000, 3_000_000})
    void theScriptCopiesWhereTheAddressSpaceIsLimitedLess(int kilobytes) throws Exception {
        copyWithin(kilobytes);
    }

    private void copyWithin(int kilobytes) throws Exception {
        Path source = Files.createDirectories(dir.resolve("source/d"));
        Files.writeString(source.resolve("f"), "data");
        Run.of(BARE, "sh", "-c", "ulimit -v " + kilobytes + "; exec \"$@\"", "sh", trained(), "cp", "-aT", "--verify",
                dir.resolve("source"), dir.resolve("copy")).expect(0);
        assertThat(dir.resolve("copy/d/f")).hasContent("data");
    }

    @Test
    void whereJavaCannotStartTheScriptNamesCauseAndRemedy() throws Exception {
        Run run = Run.of(BARE, "sh", "-c", "ulimit -v 300000; exec \"$@\"", "sh", trained(), "--version").expect(2);
        assertThat(run.err()).startsWith("treehaul: Java cannot start within the allowed address space")
                .contains("ulimit -v is 300000 kB")
                .doesNotContain("Error occurred");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sh", "bash"})
    void aJavaOfAnotherMachineIsReportedWithTheRemedy(String shell) throws Exception {
        // The header of a program whose machine (e_machine) does not exist.
        byte[] program = new byte[64];
        System.arraycopy(new byte[]{0x7f, 'E', 'L', 'F', 2, 1, 1}, 0, program, 0, 7);
        program[16] = 2;
        program[18] = (byte) 0xff;
        program[19] = (byte) 0xee;
        Path java = Files.createDirectories(dir.resolve("lib/treehaul/runtime/bin")).resolve("java");
        Files.write(java, program);
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Path script = Files.createDirectories(dir.resolve("bin")).resolve("treehaul");
        Files.copy(Run.ROOT.resolve("treehaul"), script);
        Run run = Run.of(BARE, shell, script, "--version").expect(2);
        assertThat(run.err().lines().filter(line -> line.startsWith("treehaul: "))).singleElement()
                .asString()
                .contains("lib/treehaul/runtime/bin/java does not start on this machine (")
                .contains("Use the package for this machine, or ", "/treehaul.jar with a Java 25 or newer");
    }

    @Test
    void inADirectoryThatWasRemovedTheScriptSaysSo() throws Exception {
        Run run = Run
                .of(BARE, "sh", "-c", "mkdir \"$1\" && cd \"$1\" && rmdir \"$1\" && exec \"$2\" --version", "sh",
                        dir.resolve("gone"), trained())
                .expect(2);
        assertThat(run.err()).contains("treehaul: the working directory no longer exists: change to another")
                .doesNotContain("Error occurred");
    }

    @Test
    void theScriptPassesTheExitCodeOn() throws Exception {
        Run.of(BARE, trained(), "--no-such-option").expect(2);
    }

    /** Makes a checkout whose Java is a script, in JAVA_HOME {@code jdk}; returns the script of TreeHaul. */
    private Path withJava(String commands) throws IOException {
        Path java = Files.createDirectories(dir.resolve("jdk/bin")).resolve("java");
        Files.writeString(java, "#!/bin/sh\n" + commands + "\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();
        Files.writeString(dir.resolve("jdk/release"), "JAVA_VERSION=\"99\"\n");
        Path checkout = Files.createDirectories(dir.resolve("a checkout"));
        Files.copy(Run.ROOT.resolve("treehaul"), checkout.resolve("treehaul"));
        Files.createDirectories(checkout.resolve("cli/target"));
        Files.writeString(checkout.resolve("cli/target/treehaul.jar"), "no jar");
        return checkout.resolve("treehaul");
    }

    @Test
    void theScriptPassesArgumentsOnByteForByte() throws Exception {
        Path script = withJava("while [ \"$1\" != -cp ]; do shift; done\nshift 3\n"
                + "printf '<%s>' \"$@\" | od -An -v -tx1 | tr -d ' \\n'");
        Run run = Run
                .of(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk"), "/bin/sh", "-c",
                        "exec \"$0\" \"$(printf 'a\\377\\nb')\" '' '*' ' $(x) ' '@f'", script)
                .expect(0);
        assertThat(run.out()).isEqualTo("3c61ff0a623e" + "3c3e" + "3c2a3e" + "3c2024287829203e" + "3c40663e");
    }

    @Test
    void theScriptRunsTheJarBesideItAndWritesNothingThere() throws Exception {
        Files.copy(Run.ROOT.resolve("treehaul"), dir.resolve("treehaul"));
        Files.copy(Run.JAR, dir.resolve("treehaul.jar"));
        assertThat(Run.of(BARE, dir.resolve("treehaul"), "--version").expect(0).out()).startsWith("treehaul ");
        assertThat(dir.toFile().list()).containsExactlyInAnyOrder("treehaul", "treehaul.jar");
    }

    @Test
    void aBuildThatFailsIsShownWithTheNameOfTheJar() throws Exception {
        Path mvn = Files.createDirectories(dir.resolve("bin")).resolve("mvn");
        Files.writeString(mvn, "#!/bin/sh\necho 'no way to build this'\nexit 1\n");
        assertThat(mvn.toFile().setExecutable(true)).isTrue();
        Files.copy(Run.ROOT.resolve("treehaul"), dir.resolve("treehaul"));
        Map<String, String> environment = Map.of("PATH", dir + "/bin:/usr/bin:/bin", "JAVA_HOME",
                BARE.get("JAVA_HOME"));
        Run run = Run.of(environment, "sh", "-c", "cd \"$1\" && ./treehaul --version", "sh", dir).expect(2);
        assertThat(run.err().lines()).containsExactly(
                "treehaul: building " + dir + "/cli/target/treehaul.jar (only this once)", "no way to build this",
                "treehaul: the build failed; see above");
    }

    @Test
    void theArchiveIsMadeOnceAndHasEveryClassSoThatNoJarIsOpened() throws Exception {
        Path script = checkout();
        Path archive = archive(script);
        Object made = Files.getAttribute(archive, "unix:ino");
        Run.of(BARE, script, "--version").expect(0);
        assertThat(Files.getAttribute(archive, "unix:ino")).isEqualTo(made);
        hasEveryClass(archive, script);
    }

    // The archive that the tests share is recorded with options that save processor time.
    @Test
    @Tag("rig")
    void theArchiveOfAUserHasEveryClassSoThatNoJarIsOpened() throws Exception {
        Path checkout = Files.createDirectory(dir.resolve("checkout"));
        hasEveryClass(Run.recordedIn(checkout, Map.of()), checkout.resolve("treehaul"));
    }

    private void hasEveryClass(Path archive, Path script) throws Exception {
        assertThat(archive).isNotEmptyFile();
        Path log = dir.resolve("loaded");
        Run.of(Run.JAVA, "-XX:+UseSerialGC", "-XX:AOTCache=" + archive,
                "-Xlog:class+load=info,class+init=info:file=" + log, "--enable-native-access=ALL-UNNAMED", "-cp",
                script.resolveSibling("cli/target/treehaul.jar"), "org.treehaul.cli.Main", "find", dir, "name=none")
                .expect(0);
        assertThat(Run.read(log).lines().filter(line -> line.matches(".* (org\\.treehaul|picocli)\\..*")))
                // Made while the program runs, from no jar.
                .filteredOn(line -> !line.contains("$$TypeSwitch") && !line.contains("SignalAction$OfSignal"))
                .hasSizeGreaterThan(50)
                .allMatch(line -> line.contains("source: shared objects file"));
        // The call shapes of system calls: that of io_uring is linked for the first ring only.
        assertThat(Run.read(log))
                .contains("Initializing 'picocli/CommandLine'",
                        "Initializing 'org/treehaul/core/fs/linux/Downcalls$Five'")
                .doesNotContain("Initializing 'java/util/zip/ZipFile$Source'",
                        "Initializing 'org/treehaul/core/fs/linux/Downcalls$Seven'");
    }

    @Test
    @Tag("rig")
    void commandsOnTreesStartWithAnArchiveOfTheirClassesAlone() throws Exception {
        Path script = checkout();
        Path all = archive(script);
        Path trees = all.resolveSibling(all.getFileName().toString().replace(".aot", "-trees.aot"));
        Run.of(BARE, script, "find", dir, "name=none").expect(0);
        assertThat(Files.size(trees)).isBetween(1L, Files.size(all) * 3 / 4);
        assertThat(archiveOf(script, "find", dir, "name=none")).isEqualTo(trees);
        assertThat(archiveOf(script, "rm", "-r", Files.createDirectory(dir.resolve("removed")))).isEqualTo(trees);
        assertThat(dir.resolve("removed")).doesNotExist();
        Path empty = Files.createDirectory(dir.resolve("empty"));
        assertThat(archiveOf(script, "cp", "-r", empty, dir.resolve("copied"))).isEqualTo(trees);
        assertThat(archiveOf(script, "cp", "--verify=sha256", "-r", empty, dir.resolve("copied"))).isEqualTo(all);
        assertThat(archiveOf(script, "find", dir, "--json")).isEqualTo(all);
        assertThat(archiveOf(script, "run", empty, "--", "true")).isEqualTo(all);
        assertThat(archiveOf(script, "rm", "--dry-run", "--ranks", "1", dir.resolve("checkout"))).isEqualTo(all);
        // As after a recording that failed.
        Files.write(trees, new byte[0]);
        assertThat(archiveOf(script, "find", dir, "name=none")).isEqualTo(all);
        assertThat(trees).isEmptyFile();
    }

    @Test
    @Tag("rig")
    void commandsOfStagesStartWithAnArchiveThatHasTheClassesOfTheNetworkToo() throws Exception {
        Path script = checkout();
        Path stage = script.resolveSibling("cli/target")
                .resolve(archive(script).getFileName().toString().replace(".aot", "-stage.aot"));
        Run.of(BARE, script, "stage", "--help").expect(0);
        assertThat(archiveOf(script, "stage", "--help")).isEqualTo(stage);
        assertThat(archiveOf(script, "serve", "--help")).isEqualTo(stage);
        Path log = dir.resolve("loaded");
        Path space = dir.resolve("space");
        Files.writeString(Files.createDirectory(dir.resolve("tree")).resolve("f"), "content");
        Run.of(Run.JAVA, "-XX:+UseSerialGC", "-XX:AOTCache=" + stage, "-Xlog:class+load=info:file=" + log,
                "--enable-native-access=ALL-UNNAMED", "-cp", script.resolveSibling("cli/target/treehaul.jar"),
                "org.treehaul.cli.Main", "stage", "in", "--space", space, "--directories", dir, dir.resolve("tree"),
                "job:").expect(0);
        assertThat(Run.read(log).lines().filter(line -> line.contains("org.treehaul.schedulers.stage.")))
                // Made while the program runs, from no jar.
                .filteredOn(line -> !line.contains("$$TypeSwitch") && !line.contains("$$Lambda"))
                .hasSizeGreaterThan(20)
                .allMatch(line -> line.contains("source: shared objects file"));
        // The JVM loads all classes of an archive at its start.
        assertThat(Run.read(log)).contains("io.netty.");
    }

    @Test
    void theStatusOfATransferLoadsNothingFromTheJarAndNoClassThatComputesLargePowers() throws Exception {
        Path script = trained();
        Path state = dir.resolve("state");
        Path tree = Files.createDirectory(dir.resolve("tree"));
        Files.writeString(tree.resolve("file"), "content");
        Run.of(BARE, script, "cp", "-aT", "--scheduler", "local", "--jobs", 1, "--wait", "--state-dir", state, tree,
                dir.resolve("copy")).expect(0);
        Path log = dir.resolve("loaded");
        Run.of(Run.JAVA, "-XX:+UseSerialGC", "-XX:AOTCache=" + archive(script),
                "-Xlog:class+load=info,class+init=info:file=" + log, "--enable-native-access=ALL-UNNAMED", "-cp",
                script.resolveSibling("cli/target/treehaul.jar"), "org.treehaul.cli.Main", "status", "--state-dir",
                state, "last").expect(0);
        assertThat(Run.read(log)).contains("Initializing 'org/treehaul/core/transfer/StatusReader'")
                .doesNotContain("Initializing 'java/math/BigDecimal'")
                .doesNotContain("source: file:");
    }

    @Test
    void anOldArchiveOfCommandsOnTreesThatCannotBeReplacedIsNotUsed() throws Exception {
        Path script = withJava("printf '%s\\n' \"$@\"");
        Path target = script.resolveSibling("cli/target");
        Path all = Files.writeString(target.resolve("treehaul-99.aot"), "of this jar");
        Path trees = Files.writeString(target.resolve("treehaul-99-trees.aot"), "of an earlier jar");
        FileTime time = Files.getLastModifiedTime(target.resolve("treehaul.jar"));
        Files.setLastModifiedTime(all, time);
        Files.setLastModifiedTime(trees, FileTime.fromMillis(0));
        // Nothing is recorded in a limited address space, as in a checkout that cannot be written.
        Object[] find = {"sh", "-c", "ulimit -v 3000000; exec \"$@\"", "sh", script, "find", dir};
        Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk");
        assertThat(Run.of(environment, find).expect(0).out().lines()).contains("-XX:AOTCache=" + all);
        Files.setLastModifiedTime(trees, FileTime.from(time.toInstant().plusNanos(1)));
        assertThat(Run.of(environment, find).expect(0).out().lines()).contains("-XX:AOTCache=" + all);
        Files.setLastModifiedTime(trees, time);
        assertThat(Run.of(environment, find).expect(0).out().lines())
                .contains("-XX:AOTCache=" + trees, EARLY + "core*::*,0.1")
                .doesNotContain(EARLY + "strategies*::*,0.1");
        find[find.length - 2] = "plan";
        assertThat(Run.of(environment, find).expect(0).out().lines()).contains("-XX:AOTCache=" + all, WITHOUT_OPTIMIZER,
                EARLY + "core*::*,0.1", EARLY + "strategies*::*,0.1");
    }

    @Test
    void anIndexMakesTheCallsOfCommandsOnTreesWithTheArchiveOfAllCommands() throws Exception {
        Path script = withJava("printf '%s\\n' \"$@\"");
        Path target = script.resolveSibling("cli/target");
        Path all = Files.writeString(target.resolve("treehaul-99.aot"), "of this jar");
        Files.setLastModifiedTime(all, Files.getLastModifiedTime(target.resolve("treehaul.jar")));
        Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk");
        String quick = "-Dtreehaul.quick.calls=true";
        assertThat(Run.of(environment, script, "index", "--space", "s", "index").expect(0).out().lines())
                .contains("-XX:AOTCache=" + all, quick, EARLY + "core*::*,0.1", EARLY + "tuplespace*::*,0.1");
        for (String[] other : new String[][]{{"index", "--hash", "xxh3", "t"}, {"query", "--space", "index"},
                {"du", "index", "--index"}}) {
            assertThat(Run.of(environment, script, other[0], other[1], other[2]).expect(0).out().lines())
                    .contains("-XX:AOTCache=" + all)
                    .doesNotContain(quick);
        }
    }

    @Test
    void aQueryThatTheDatabaseAnswersRunsWithoutTheOptimizingCompiler() throws Exception {
        Path script = withJava("printf '%s\\n' \"$@\"");
        Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk");
        for (String[] counted : new String[][]{{"query", "--count", "size>1K"}, {"query", "--sum", "size"},
                {"query", "--top", "3"}}) {
            assertThat(optionsOf(environment, script, counted)).contains(WITHOUT_OPTIMIZER);
        }
        for (String[] listed : new String[][]{{"query", "name=f"}, {"query", "--group-by", "name"},
                {"query", "--count", "path=*/f"}}) {
            assertThat(optionsOf(environment, script, listed)).doesNotContain(WITHOUT_OPTIMIZER);
        }
    }

    @Test
    void aCopyRunsWithoutTheOptimizingCompilerUnlessItMayHashOrEncryptItself() throws Exception {
        Path script = withJava("printf '%s\\n' \"$@\"");
        Map<String, String> environment = Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk", "HOME",
                dir.toString(), "TREEHAUL_SITE_CONFIG", dir + "/none");
        assertThat(optionsOf(environment, script, "cp", "-a", "--direct", "from", "to")).contains(WITHOUT_OPTIMIZER);
        for (String option : List.of("--jobs=2", "--scheduler=local")) {
            assertThat(optionsOf(environment, script, "cp", "-a", "--verify", option, "from", "to")).as(option)
                    .contains(WITHOUT_OPTIMIZER);
            assertThat(optionsOf(environment, script, "cp", "--ranks=2", option, "from", "to")).as(option)
                    .doesNotContain(WITHOUT_OPTIMIZER);
        }
        for (String option : List.of("--verify=sha256", "--verify=none", "--verif", "--manifest=sums", "--preset=night",
                "--ranks=2", "--space=dir", "--tls-ca=ca", "--json", "--exclude=x")) {
            assertThat(optionsOf(environment, script, "cp", "-a", option, "from", "to")).as(option)
                    .doesNotContain(WITHOUT_OPTIMIZER);
        }
        for (String command : List.of("mv", "sync", "verify")) {
            assertThat(optionsOf(environment, script, command, "from", "to")).as(command)
                    .doesNotContain(WITHOUT_OPTIMIZER);
        }
    }

    @Test
    void aCopyThatVerifiesRunsWithoutTheOptimizingCompilerIfTheMachineHasALibraryForTheHash() throws Exception {
        Path script = withJava("printf '%s\\n' \"$@\"");
        Path libraries = Files.createDirectory(dir.resolve("lib"));
        String text = Files.readString(script);
        Files.writeString(script, text.replaceAll("/usr/lib[^ ]*/libxxhash", libraries + "/libxxhash"));
        assertThat(script).content().isNotEqualTo(text).doesNotContain("/usr/lib64/libxxhash");
        Map<String, String> environment = new HashMap<>(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk",
                "HOME", dir.toString(), "TREEHAUL_SITE_CONFIG", dir + "/none"));
        assertThat(optionsOf(environment, script, "cp", "--verify", "from", "to")).doesNotContain(WITHOUT_OPTIMIZER);
        // Versions before 0.8.0 compute other hashes.
        Files.createFile(libraries.resolve("libxxhash.so.0"));
        Files.createFile(libraries.resolve("libxxhash.so.0.7.3"));
        assertThat(optionsOf(environment, script, "cp", "--verify", "from", "to")).doesNotContain(WITHOUT_OPTIMIZER);

        Path library = Files.createFile(libraries.resolve("libxxhash.so.0.8.1"));
        for (String option : List.of("--verify", "--verify=xxh3")) {
            assertThat(optionsOf(environment, script, "cp", "-a", option, "from", "to")).as(option)
                    .contains(WITHOUT_OPTIMIZER, "-Dtreehaul.xxhash=" + library);
        }
        for (String other : List.of("--verify=sha256", "--manifest=sums", "--ranks=2", "--tls-ca=ca")) {
            assertThat(optionsOf(environment, script, "cp", "-a", "--verify", other, "from", "to")).as(other)
                    .doesNotContain(WITHOUT_OPTIMIZER);
        }
        environment.put("JDK_JAVA_OPTIONS", "-Dtreehaul.xxhash=");
        assertThat(optionsOf(environment, script, "cp", "--verify", "from", "to")).doesNotContain(WITHOUT_OPTIMIZER);
    }

    @Test
    void aCopyWithSettingsRunsWithTheOptimizingCompiler() throws Exception {
        Path script = withJava("printf '%s\\n' \"$@\"");
        Map<String, String> environment = new HashMap<>(Map.of("PATH", "/usr/bin:/bin", "JAVA_HOME", dir + "/jdk",
                "HOME", dir.toString(), "TREEHAUL_SITE_CONFIG", dir + "/none"));
        for (String variable : List.of("TREEHAUL_VERIFY", "TREEHAUL_SCHEDULER", "TREEHAUL_JOBS", "TREEHAUL_SPACE")) {
            Map<String, String> set = new HashMap<>(environment);
            set.put(variable, "x");
            assertThat(optionsOf(set, script, "cp", "from", "to")).as(variable).doesNotContain(WITHOUT_OPTIMIZER);
        }
        Path site = Files.writeString(dir.resolve("site"), "verify = xxh3\n");
        environment.put("TREEHAUL_SITE_CONFIG", site.toString());
        assertThat(optionsOf(environment, script, "cp", "from", "to")).doesNotContain(WITHOUT_OPTIMIZER);
        Files.delete(site);
        assertThat(optionsOf(environment, script, "cp", "from", "to")).contains(WITHOUT_OPTIMIZER);
        for (String directory : List.of("xdg", ".config")) {
            if (directory.equals("xdg")) {
                environment.put("XDG_CONFIG_HOME", dir + "/xdg");
            } else {
                environment.remove("XDG_CONFIG_HOME");
            }
            Path file = Files.createDirectories(dir.resolve(directory).resolve("treehaul")).resolve("config");
            Files.writeString(file, "verify = xxh3\n");
            assertThat(optionsOf(environment, script, "cp", "from", "to")).as(directory)
                    .doesNotContain(WITHOUT_OPTIMIZER);
            Files.delete(file);
        }
    }

    // Returns the options that the script passes to the Java of a checkout, which prints them.
    private static List<String> optionsOf(Map<String, String> environment, Path script, String... command)
            throws Exception {
        List<Object> all = new ArrayList<>(List.of(script));
        all.addAll(List.of(command));
        return Run.of(environment, all.toArray()).expect(0).out().lines().toList();
    }

    // The JVM prints its options among the results.
    private static Path archiveOf(Path script, Object... command) throws Exception {
        Map<String, String> environment = new HashMap<>(BARE);
        environment.put("JDK_JAVA_OPTIONS", "-XX:+PrintFlagsFinal -XX:AOTMode=on");
        List<Object> all = new ArrayList<>(List.of(script));
        all.addAll(List.of(command));
        String printed = Run.of(environment, all.toArray()).out();
        return Path.of(
                Pattern.compile(" AOTCache += (\\S+) ").matcher(printed).results().findFirst().orElseThrow().group(1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 1000, 1_000_000})
    void anArchiveThatIsCutOffChangesNothing(int bytes) throws Exception {
        Path script = checkout();
        Path archive = archive(script);
        try (FileChannel file = FileChannel.open(archive, StandardOpenOption.WRITE)) {
            file.truncate(bytes);
        }
        // With another time it would be recorded again.
        Files.setLastModifiedTime(archive, Files.getLastModifiedTime(script.resolveSibling("cli/target/treehaul.jar")));
        Run run = Run.of(BARE, script, "--version").expect(0);
        assertThat(run.out()).startsWith("treehaul ");
        assertThat(run.err()).isEmpty();
        assertThat(archive).hasSize(bytes);
    }

    // The JVM does not check it.
    @ParameterizedTest
    @ValueSource(ints = {-9, 9})
    void theClassesOfAnotherJarDoNotRunInItsPlace(int secondsLater) throws Exception {
        Path script = checkout();
        Path jar = script.resolveSibling("cli/target/treehaul.jar");
        FileTime time = Files.getLastModifiedTime(jar);
        Path source = Files.writeString(Files.createDirectories(dir.resolve("other")).resolve("Main.java"), """
                package org.treehaul.cli;
                public class Main {
                    public static void main(String... arguments) {
                        System.out.println("another program");
                    }
                }
                """);
        Path bin = Run.JAVA.resolveSibling("");
        Run.of(bin.resolve("javac"), "-d", dir.resolve("other"), source).expect(0);
        Run.of(bin.resolve("jar"), "--create", "--file", jar, "-C", dir.resolve("other"), "org").expect(0);
        Files.setLastModifiedTime(jar, FileTime.from(time.toInstant().plusSeconds(secondsLater)));
        assertThat(Run.of(BARE, script, "--version").expect(0).out()).isEqualTo("another program\n");
    }

    @Test
    void aCallInALimitedAddressSpaceRecordsNoArchive() throws Exception {
        Path script = checkout();
        Path archive = archive(script);
        Files.delete(archive);
        Run.of(BARE, "sh", "-c", "ulimit -v 3000000; exec \"$@\"", "sh", script, "--version").expect(0);
        assertThat(archive).doesNotExist();
    }

    @Test
    void onlyJavaIsStartedOnceTheArchiveExists() throws Exception {
        Path script = checkout();
        Map<String, String> environment = Map.of("PATH", "/nonexistent", "JAVA_HOME", BARE.get("JAVA_HOME"));
        Run run = Run.of(environment, script, "--version").expect(0);
        assertThat(run.out()).startsWith("treehaul ");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void anArchiveThatTheUserNamesReplacesOurs() throws Exception {
        Map<String, String> environment = new HashMap<>(BARE);
        environment.put("JDK_JAVA_OPTIONS", "-Xshare:off");
        Run run = Run.of(environment, trained(), "--version").expect(0);
        assertThat(run.out()).startsWith("treehaul ");
    }

    /** Makes a separate checkout with the packaged jar and an archive for it; returns its script. */
    private Path checkout() throws Exception {
        Path original = trained();
        Path root = dir.resolve("checkout");
        Files.createDirectories(root.resolve("cli/target"));
        for (Path file : List.of(original.resolveSibling("cli/target/treehaul.jar"), archive(original), original)) {
            Files.copy(file, root.resolve(shared.relativize(file)), StandardCopyOption.COPY_ATTRIBUTES);
        }
        return root.resolve("treehaul");
    }

    /** Returns the script of the checkout from which the others are copied: recording an archive takes seconds. */
    private static Path trained() throws Exception {
        Path script = shared.resolve("treehaul");
        if (!Files.exists(script)) {
            Path target = Files.createDirectories(shared.resolve("cli/target"));
            Files.copy(Run.JAR, target.resolve("treehaul.jar"), StandardCopyOption.COPY_ATTRIBUTES);
            String version = Pattern.compile("JAVA_VERSION=\"(.*)\"")
                    .matcher(Files.readString(Run.JAVA.resolveSibling("../release")))
                    .results()
                    .findFirst()
                    .orElseThrow()
                    .group(1);
            Files.copy(Run.cache(), target.resolve("treehaul-" + version + ".aot"), StandardCopyOption.COPY_ATTRIBUTES);
            Files.copy(Run.ROOT.resolve("treehaul"), script);
        }
        return script;
    }

    private static Path archive(Path script) throws IOException {
        return Run.cacheIn(script.resolveSibling("cli/target"));
    }
}
