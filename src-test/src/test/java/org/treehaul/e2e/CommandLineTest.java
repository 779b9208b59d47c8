// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

class CommandLineTest {

    // Newline, quote, dollar, invalid UTF-8, a letter in UTF-8, a leading dash and a leading at sign, in the syntax of
    // sh's printf.
    private static final String NAMES = "'a\\nb' '$(touch PWNED)' '\\377\\376' '\\303\\274' '-dash' '@at' 'q\"\\047' ' '";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void namesOfAnyBytesAreTakenAsArguments() throws Exception {
        cli.sh("mkdir s t; set --; for n in " + NAMES
                + "; do f=$(printf -- \"$n.\"); printf 1 > \"s/$f\"; set -- \"$@\" \"s/$f\"; done; $T cp -- \"$@\" t")
                .expect(0);
        assertThat(cli.sh("cd t; find . -type f -print0 | sort -z").out())
                .isEqualTo(cli.sh("cd s; find . -type f -print0 | sort -z").out())
                .contains("\377\376");
        assertThat(directory.resolve("PWNED")).doesNotExist();
    }

    @Test
    void namesOfAnyBytesPassThroughAnOlderJava() throws Exception {
        Run older = cli.sh("""
                for home in /usr/lib/jvm/*; do
                    v=$(sed -n 's/^JAVA_VERSION="\\([0-9]*\\).*/\\1/p' $home/release 2> /dev/null)
                    [ -n "$v" ] && [ "$v" -lt 25 ] && echo $home/bin/java && exit
                done
                """);
        assumeTrue(!older.out().isBlank(), "no Java older than 25 in /usr/lib/jvm");
        cli.sh("mkdir t; f=$(printf 'a\\377\\nb\\303\\274'); printf 1 > \"$f\"; " + older.out().trim() + " -jar "
                + Run.JAR + " cp -- \"$f\" t/").expect(0);
        assertThat(cli.sh("find t -type f -print0").out()).isEqualTo("t/a\377\nb\303\274\0");
    }

    @Test
    void aListWithNulsNamesAnyPath() throws Exception {
        cli.sh("mkdir -p s/x; for n in " + NAMES + "; do printf 1 > \"s/x/$(printf -- \"$n.\")\"; done; : > s/y")
                .expect(0);
        cli.warmly("cd s; find x -type f -print0 | $T cp -a -0 --files-from - . ../t").expect(0);
        assertThat(cli.sh("cd t; find . -print0 | sort -z").out())
                .isEqualTo(cli.sh("cd s; find . ! -name y -print0 | sort -z").out());
    }

    @Test
    void namesThatAreNoTextArePrintedAsTheyAreIntoAPipeAndBase64InJson() throws Exception {
        cli.sh("mkdir s; : > \"$(printf 's/\\377')\"").expect(0);
        assertThat(cli.warmly("$T walk -0 s").expect(0).out()).isEqualTo("s\0s/\377\0");
        assertThat(cli.warmly("$T walk --print s").expect(0).out()).isEqualTo("s\ns/\377\n");
        assertThat(cli.runWarmly("walk", "--json", "s").expect(0).out()).contains("\"path\":\"s\"",
                "\"path_b64\":\"cy//\"");
        assertThat(cli.warmly("$T walk \"$(printf 'no\\377\\n.')\"").expect(2).err())
                .startsWith("treehaul: walk: no\\xff\\n.: stat: ");
    }

    @Test
    void theSummaryHasTheCountsOfFindAndDu() throws Exception {
        cli.sh("mkdir -p s/a/b; head -c 5000 /dev/zero > s/a/f; ln s/a/f s/g; ln -s f s/a/b/l; : > s/empty").expect(0);
        String json = cli.runWarmly("walk", "--summary", "--json", "s").expect(0).out();
        assertThat(json).contains("\"entries\":7", "\"regular\":3", "\"directory\":3", "\"symlink\":1",
                "\"linked_names\":2", "\"linked_files\":1", "\"apparent_bytes\":5001", "\"complete\":true",
                "\"deepest\":{\"path\":\"s/a/b/l\",\"depth\":3}", "\"size\":5000");
        assertThat(json).contains("\"allocated_bytes\":" + cli.sh("du -s -B1 s | cut -f1").out().trim());
        assertThat(cli.runWarmly("walk", "s").expect(0).out()).contains("apparent bytes           5,001  4.9 KiB");
    }

    @Test
    void everyEntryOfFindIsPrinted() throws Exception {
        cli.sh("mkdir -p s/a/b s/c; : > s/a/b/f; ln -s / s/l").expect(0);
        assertThat(cli.warmly("$T walk --print s s/a | sort").out()).isEqualTo(cli.sh("find s s/a | sort").out());
        assertThat(cli.warmly("$T walk --print s/ | sort").out()).isEqualTo(cli.sh("find s/ | sort").out());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"|no command", "frobnicate|unknown command 'frobnicate'", "wakl|did you mean 'walk'",
                    "cp|no source", "cp a|no destination given after 'a'", "cp --frob a b|unknown option '--frob'",
                    "wlak --help|unknown command 'wlak'; did you mean 'walk'?", "help wlak|did you mean 'walk'?",
                    "rsync a b|'treehaul sync'", "report --json last|'treehaul status --json last'",
                    "sync|no source given", "sync a|no destination given after 'a'",
                    "sync a b c|is one argument too many",
                    "sync a host:/x|'host:/x' names another host, and remote hosts are not supported",
                    "mv a host:/x/y|'host:/x/y' names another host, and remote hosts are not supported",
                    "mv a stage:job/x|'stage:job/x' names an entry of a stage, which cp, cmp and walk take",
                    "sync -az a b|not compressed", "sync --partial a b|when it is complete",
                    "sync --inplace a b|--in-place", "sync -u a b|cp -aTu", "sync -S a b|holes stay holes",
                    "sync --info=progress2 a b|use --progress", "sync -aP a b|use --progress",
                    "sync --delete-during a b|--delete=after", "sync --delete-excluded a b|spares",
                    "sync --max-size=9 a b|--where 'size>1M'", "sync -f x a b|--exclude", "sync --mkpath a b|mkdir -p",
                    "sync -K a b|never followed", "sync --detect-renamed a b|--detect-renames",
                    "sync --ignore-existing a b|cp -aTn", "sync --remove-source-files a b|'treehaul mv'",
                    "sync -aL a b|cp -aTL", "sync --bwlimit=3 a b|--bandwidth 200M", "sync --stats a b|--json",
                    "cp -ah a b|-h prints the help", "cp -h a b|-h prints the help", "mv -h a b|-h prints the help",
                    "rm -rh a|-h prints the help", "cmp -h a b|-h prints the help", "cp -- -h|no destination",
                    "sync -ah a|no destination given after 'a'",
                    "sync --max-delete -1 a b|--max-delete must be 0 or more",
                    "cmp --modify-window -1 a b|--modify-window must be 0 or more",
                    "cmp --chunk-size 0 a b|--chunk-size must be 1 or more",
                    "manifest --check - --files-from - a|cannot both read standard input",
                    "chown root.root a|root:root", "mv . x|cannot move the directory",
                    "simulate --per-host 0|--per-host must be 1 or more", "simulate --ranks 5..2|not 5..2",
                    "find . -name x|name~=*.h5'", "version|'treehaul --version'", "kill x|'treehaul cancel'",
                    "help cp rm|unexpected argument 'rm'", "cp --delete a b|a copy deletes nothing",
                    "cp --bwlimit=3 a b|--bandwidth 200M",
                    "cp -a host:/data b|'host:/data' names another host, and remote hosts are not supported",
                    "cp -a a me@host:data|A local file of this name is './me@host:data'",
                    "cp -a s3://bucket/x b|not supported", "verify --plan-in-job last|--plan-in-job is for cp",
                    "cp --no-verify a b|use --verify=none", "cp --min-size 3 a b|cp --where 'size>1M",
                    "cp -z a b|not compressed", "cp -c a b|--verify", "cp --verfy a b|did you mean '--verify'?",
                    "walk --wzzz|put '--' before a path", "cp --re a b|possibilities: '--recursive'", "cp -aQ a b|'-Q'",
                    "cp -i --jobs 2 a b|-n or -u", "cp -b --jobs 2 a b|--backup=numbered",
                    "cp --preserve=y a b|unknown word 'y'", "cp --sparse=x a b|auto, always, never",
                    "cp --bandwidth=x a b|64M", "cp --threads=0 a b|1 to 256", "cp --threads=x a b|'x'",
                    "cp -t|'--target-directory'", "cp -T a b c|'c'", "cp --files-from nolist a b|nolist",
                    "cp --exclude= a b|--exclude", "walk --print --json|cannot be combined",
                    "walk --progress=x|auto, always, never", "walk -q|unknown option '-q'", "cmp a|two trees",
                    "cmp --ignore=x a b|'x'", "completion|SHELL'; give bash, zsh or fish",
                    "completion csh|bash, zsh, fish"})
    void aBadLineIsRefusedWithItsNameAndTheRemedy(String line, String expected) throws Exception {
        Run result = WarmProgram.run(directory.path(), line == null ? new String[0] : line.split(" ")).expect(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("treehaul: ").doesNotContain("Exception").contains(expected);
        assertThat(result.err().lines().count()).isLessThanOrEqualTo(2);
    }

    @Test
    void longOptionsAndTheirWordsMayBeAbbreviated() throws Exception {
        cli.sh("mkdir -p s d; echo 1 > s/f; ln s/f s/g; touch -d @1000 s/f").expect(0);
        cli.runWarmly("cp", "--recurs", "--preserve=link,tim", "--sparse=al", "--rem", "--target=d", "s").expect(0);
        assertThat(cli.sh("stat -c '%h %Y' d/s/f").out()).isEqualTo("2 1000\n");
        assertThat(cli.runWarmly("walk", "--summ", "--js", "s").expect(0).out()).contains("\"entries\":3");
        assertThat(cli.runWarmly("cp", "--n", "s/f", "f").expect(2).err())
                .contains("option '--n' is ambiguous; possibilities: '--no-clobber' '--no-dereference'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "cp", "walk", "cmp", "completion", "help"})
    void helpHasAnExampleAndGoesToStandardOutput(String command) throws Exception {
        Run result = cli.warmly("$T " + command + " --help").expect(0);
        assertThat(result.out()).contains("Usage: treehaul").contains("Example").contains("  treehaul " + command);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines()).allMatch(line -> line.length() <= 100);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "cp", "walk", "help"})
    void helpIsACommandToo(String command) throws Exception {
        assertThat(cli.warmly("$T help " + command).expect(0).out())
                .isEqualTo(cli.warmly("$T " + command + " --help").out());
    }

    @Test
    void aLocalNameWithAColonIsNoHost() throws Exception {
        cli.warmly(
                "mkdir -p host: d; echo 1 > 'a:b'; echo 2 > host:/f; $T cp a:b d/ && $T cp host:/f d/ && $T cp a:b host:/g && $T cp a:b c:d")
                .expect(0);
        assertThat(cli.sh("ls d host: c:d").out()).isEqualTo("c:d\n\nd:\na:b\nf\n\nhost::\nf\ng\n");
    }

    @Test
    void aSettingOfVerifyIsSwitchedOffByNone() throws Exception {
        cli.sh("echo 1 > f").expect(0);
        assertThat(cli.warmly("TREEHAUL_VERIFY=xxh3 $T cp f g").expect(0).err()).contains("verified");
        assertThat(cli.warmly("TREEHAUL_VERIFY=xxh3 $T cp --verify=none f h").expect(0).err())
                .doesNotContain("verified");
    }

    @Test
    void settingsAreBlamedOnlyForValuesThatTheyGave() throws Exception {
        String home = "export HOME=$PWD; unset XDG_CONFIG_HOME; ";
        assertThat(cli.warmly(home + "$T config show").expect(0).err())
                .contains("nothing is set; 'treehaul config show --all'");
        cli.warmly(home + "$T config set threads 3; printf '[preset bad]\\njobs = many\\n' >> .config/treehaul/config")
                .expect(0);
        assertThat(cli.warmly(home + "$T cp --threads x a b").expect(2).err()).contains("'x'")
                .doesNotContain("is set by");
        assertThat(cli.warmly(home + "$T cp --preset bad a b").expect(2).err()).contains("jobs is set by ");
        cli.sh("printf 'threads = -3\\nverify = md5\\n' > .config/treehaul/config").expect(0);
        assertThat(cli.warmly(home + "$T cp a b").expect(2).err()).contains("threads is set by ", "/config:1")
                .doesNotContain("verify is set by");
        assertThat(cli.warmly(home + "$T cp --threads 2 a b").expect(2).err()).contains("verify is set by ",
                "/config:2");
        assertThat(cli.warmly(home + "$T cp --threads=-1 a b").expect(2).err()).doesNotContain("threads is set by");
    }

    @Test
    void aStateDirectoryOfASettingNeedNotExistBeforeTheFirstTransfer() throws Exception {
        String home = "export HOME=$PWD; unset XDG_CONFIG_HOME TREEHAUL_HOME; ";
        cli.sh("mkdir -p .config/treehaul; printf 'state-dir = none\n[preset p]\nstate-dir = other\n'"
                + " > .config/treehaul/config").expect(0);
        assertThat(cli.warmly(home + "$T status").expect(0).err()).contains("there are no transfers in ", "none");
        assertThat(cli.warmly(home + "$T status --preset p").expect(0).err()).contains("there are no transfers in ",
                "other");
        assertThat(cli.warmly(home + "$T status --state-dir none1").expect(2).err())
                .contains("none1 does not exist or is no directory");
    }

    @Test
    void variablesOfAnyBytesAreReadInTheCLocale() throws Exception {
        String home = "HOME=$PWD/$(printf 'j\\303\\266rg'); export HOME; unset XDG_CONFIG_HOME TREEHAUL_HOME; ";
        cli.sh(home + "mkdir -p \"$HOME/d\" s; echo 1 > s/ab; echo 1 > \"s/$(printf '\\303\\274')\"").expect(0);
        assertThat(cli.sh(home + "$T rm -r \"$HOME\"").expect(2).err())
                .contains("refused to remove the home directory");
        assertThat(cli.sh(home + "$T status").expect(2).err())
                .contains("rg' cannot be decoded in this locale; set LC_ALL=C.UTF-8");
        cli.sh(home + "$T status --state-dir s").expect(0);
        assertThat(cli.sh(home + "TREEHAUL_HOME=\"$HOME\" $T cp -aT --jobs 1 --scheduler local s t").expect(2).err())
                .contains("cannot be decoded in this locale");
        cli.sh(home + "TREEHAUL_EXCLUDE=$(printf '\\303\\274') $T cp -aT s t").expect(0);
        cli.sh(home + "SIMPLE_BACKUP_SUFFIX=$(printf '\\303\\274') $T cp -b s/ab t").expect(0);
        assertThat(cli.sh("ls t").out()).isEqualTo("ab\nab\303\274\n");
    }

    @Test
    void settingsInAHomeThatTheLocaleCannotExpressApply() throws Exception {
        for (String locale : List.of("C", "C.UTF-8")) {
            String home = "export LC_ALL=" + locale + " HOME=\"$PWD/$(printf 'j\\366rg')\"; unset XDG_CONFIG_HOME; ";
            cli.sh(home + "mkdir -p \"$HOME/.config/treehaul\"; echo threads = 3 > \"$HOME/.config/treehaul/config\"")
                    .expect(0);
            assertThat(cli.sh(home + "$T config").expect(0).out()).as(locale)
                    .contains("threads = 3  # ", "j\\xf6rg/.config");
            assertThat(cli.sh(home + "$T config set threads 4").expect(2).err()).as(locale)
                    .contains("the settings cannot be changed: ", "set LC_ALL");
        }
    }

    @Test
    void anEmptyHomeIsNotTheWorkingDirectory() throws Exception {
        Run run = cli.warmly("unset TREEHAUL_HOME; HOME= $T status last; pwd");
        assertThat(run.err()).doesNotContain(run.out().strip());
    }

    @Test
    void aDirectoryThatIsNotRemovedLeadsToTheOption() throws Exception {
        Run run = cli.warmly("mkdir d; $T rm d").expect(2);
        assertThat(run.err()).contains("d: unlink: Is a directory (EISDIR)",
                "directories are removed only with -r, together with everything below them, or with -d if they are empty")
                .doesNotContain(" entries/s");
    }

    @Test
    void theListOfCommandsIsInGroups() throws Exception {
        assertThat(cli.runWarmly("--help").expect(0).out()).containsSubsequence(
                "\nCopy, move, remove and compare:\n  cp ", "\n\nPlans, and transfers by jobs:\n  plan ",
                "\n\nList and query:\n  find ", "\n\nSettings and help:\n  config ");
    }

    @Test
    void aStateDirectoryThatCannotBeMadeIsReportedInTheWordsOfTheSystem() throws Exception {
        cli.sh("mkdir s; : > file").expect(0);
        for (String place : List.of("/proc/none", "file", "file/x")) {
            String err = cli.runWarmly("cp", "-a", "--scheduler", "local", "--state-dir", place, "s", "d")
                    .expect(2)
                    .err();
            assertThat(err).contains("the state directory ", "use another one with --state-dir or TREEHAUL_HOME")
                    .doesNotContainPattern("NoSuchFile|NotDirectory|AccessDenied|FileSystem ");
        }
        assertThat(cli.runWarmly("status", "--state-dir", "file/x").expect(2).err())
                .contains("file/x does not exist or is no directory");
        assertThat(cli.warmly("XDG_CONFIG_HOME=/proc/none $T config set threads 3").expect(2).err())
                .contains("the settings cannot be changed: ", ": No such file or directory (ENOENT)");
        assertThat(cli.warmly("$T index --space /proc/none s").expect(2).err())
                .contains("the space /proc/none cannot be created: ", "No such file or directory (ENOENT)");
        assertThat(cli.warmly("TREEHAUL_HOME=$PWD/empty $T status last").expect(2).err()).contains(
                "there is no transfer 'last' in ",
                ", which contains none; if they are in another place, use --state-dir or TREEHAUL_HOME");
    }

    @Test
    void completionScriptsAreScripts() throws Exception {
        cli.warmly("$T completion bash > c; bash -n c && grep -q -e --verify c").expect(0);
        cli.warmly("$T completion fish | grep -q -e 'command cp.*-l verify'").expect(0);
        // Commands that only jobs run are not offered.
        cli.warmly(
                "for s in bash zsh fish; do $T completion $s; done | grep -v -e lister | grep -E '(^|[^a-z-])(planner|finish)([^a-z-]|$)'")
                .expect(1);
    }

    @Test
    void aReaderThatGoesAwayEndsTheWalkQuietly() throws Exception {
        cli.sh("mkdir s; cd s; for i in $(seq 3000); do echo \"$(printf %0200d $i)\"; done | xargs touch").expect(0);
        Run result = cli.sh("{ $T walk --print s; echo $? >&2; } | head -n 1").expect(0);
        assertThat(result.out().lines()).hasSize(1);
        assertThat(result.err()).isEqualTo("20\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"walk s", "--version"})
    void aFullDiskUnderTheResultsIsAnError(String line) throws Exception {
        isAnErrorOnAFullDisk(line);
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(strings = {"walk --print s", "walk --json s", "--help", "completion bash"})
    void aFullDiskUnderAnyResultsIsAnError(String line) throws Exception {
        isAnErrorOnAFullDisk(line);
    }

    private void isAnErrorOnAFullDisk(String line) throws Exception {
        cli.sh("mkdir s").expect(0);
        Run result = cli.sh("$T " + line + " > /dev/full").expect(2);
        assertThat(result.err()).contains("cannot write to standard output: No space left on device");
    }

    @Test
    void aCopyThatIsRefusedEndsWith2AndOneThatFailsWith23() throws Exception {
        cli.sh("mkdir -p d/f; echo x > f").expect(0);
        cli.warmly("$T cp none d").expect(2);
        assertThat(cli.warmly("$T cp f d").expect(23).err()).contains("copied 0 entries");
        cli.warmly("$T sync none/ d").expect(2);
    }

    @Test
    void theCommandThatCopiesTheRestDoesSoAfterADestinationThatEndsWithASlash() throws Exception {
        cli.sh("mkdir big; head -c 12000000 /dev/zero > big/f").expect(0);
        Process process = cli.start("cp", "-r", "--bandwidth", "500K", "big", "copy/");
        Cli.awaitSignalHandlers(process);
        Cli.signal(process, "INT");
        String err = process.errorReader().readAllAsString();
        assertThat(process.waitFor()).as(err).isEqualTo(20);
        assertThat(err).contains("to copy the rest: treehaul cp -T -u -r --bandwidth 500K big copy/\n");
    }

    @Test
    void theFirstInterruptDrainsAndStateIsPrintedOnRequest() throws Exception {
        try (RandomAccessFile big = new RandomAccessFile(directory.resolve("big").toFile(), "rw")) {
            big.write(new byte[12_000_000]);
        }
        Process process = cli.start("cp", "--bandwidth", "500K", "--progress-interval=1", "big", "copy");
        Cli.awaitSignalHandlers(process);
        Cli.signal(process, "USR1");
        String state = process.errorReader().readLine();
        // A line of the usual progress may come first.
        while (state != null && !state.endsWith("so far")) {
            state = process.errorReader().readLine();
        }
        assertThat(state).contains("0 entries, ");
        Cli.signal(process, "INT");
        String err = process.errorReader().readAllAsString();
        assertThat(process.waitFor()).as(err).isEqualTo(20);
        assertThat(err).contains("stopping: ",
                "to copy the rest: treehaul cp -T -u --bandwidth 500K --progress-interval=1 big copy\n");
        assertThat(directory.resolve("copy")).doesNotExist();
        assertThat(cli.sh("ls -A").out()).isEqualTo("big\n");
    }

    @Test
    void aSecondSignalEndsAtOnce() throws Exception {
        cli.sh("mkdir s; cd s; for i in $(seq 3000); do echo \"$(printf %0200d $i)\"; done | xargs touch").expect(0);
        // No process reads the output, so the walk cannot end.
        Process process = cli.start("walk", "--print", "s");
        Cli.awaitSignalHandlers(process);
        Awaitility.await().until(() -> process.getInputStream().available() > 0);
        Cli.signal(process, "TERM");
        Thread.sleep(Duration.ofMillis(400));
        assertThat(process.isAlive()).isTrue();
        Cli.signal(process, "TERM");
        assertThat(process.waitFor()).isEqualTo(20);
    }

    @Test
    void manyFailuresAreCappedAndSummedUp() throws Exception {
        cli.sh("mkdir s; for i in $(seq 50); do : > s/f$i; done; seq 100 | sed 's/^/nothing/' > list").expect(0);
        Run result = cli.runWarmly("cp", "-a", "--files-from", "list", "s", "t").expect(23);
        assertThat(result.err().lines().filter(line -> line.contains("s/nothing"))).hasSize(20);
        assertThat(result.err()).contains("100 entries, 80 of them not shown");
    }

    @Test
    void progressWithoutATerminalIsALineNowAndThen() throws Exception {
        cli.sh("head -c 3000000 /dev/zero > f").expect(0);
        Run result = cli.runWarmly("cp", "--bandwidth=1M", "--progress-interval=1", "--reflink=never", "f", "g")
                .expect(0);
        assertThat(result.err()).containsPattern("treehaul: cp: \\d\\d:\\d\\d:\\d\\d 0 entries, .*/s\n")
                .doesNotContain("\033");
        assertThat(cli.runWarmly("cp", "--bandwidth=2M", "--progress=never", "f", "h").expect(0).err())
                .matches("treehaul: cp: copied 1 entry, 2.9 MiB in [0-9.]+ s, .*/s\n");
        assertThat(cli.runWarmly("cp", "--bandwidth=2M", "-q", "f", "i").expect(0).err()).isEmpty();
    }

    @Test
    void jsonContainsEachEntryAndTheSummary() throws Exception {
        cli.sh("mkdir s; printf 1 > s/f").expect(0);
        List<String> lines = cli.runWarmly("cp", "-a", "-v", "--json", "s", "t").expect(0).out().lines().toList();
        assertThat(lines).hasSize(3).allMatch(line -> line.startsWith("{\"v\":1,\"type\":\""));
        assertThat(lines.getLast()).contains("\"type\":\"summary\"", "\"entries\":2", "\"bytes\":1",
                "\"complete\":true");
    }

    @Test
    void theExitCodeOfCmpShowsDifferencesAndErrors() throws Exception {
        cli.sh("mkdir s; printf 1 > s/f; cp -a s t").expect(0);
        cli.runWarmly("cmp", "--content", "s", "t").expect(0);
        cli.sh("printf 2 > t/f; touch -r s/f t/f").expect(0);
        cli.runWarmly("cmp", "s", "t").expect(0);
        assertThat(cli.runWarmly("cmp", "--content", "s", "t").expect(1).out())
                .isEqualTo("f: content differs at byte 0\n");
        assertThat(cli.runWarmly("cmp", "s", "nothing").expect(2).err()).contains("nothing was compared")
                .doesNotContain("no differences");
    }

    @Test
    void ignoredHangupsStayIgnored() throws Exception {
        cli.sh("mkdir s; nohup $T walk --print s > out 2>&1").expect(0);
        assertThat(Files.readString(directory.resolve("out"))).contains("s\n");
    }
}
