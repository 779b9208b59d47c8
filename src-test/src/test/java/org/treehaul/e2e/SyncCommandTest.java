// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Installed;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/** {@code treehaul sync}: its lines, summaries, JSON and exit codes. */
class SyncCommandTest {

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = Cli.withJobs(directory.path()).withHome();

    @BeforeEach
    void fill() throws Exception {
        cli.sh("mkdir -p s/d d/gone; printf 1 > s/f; printf 1 > s/d/g; ln -s f s/l; printf 1 > d/gone/h; cp -p s/f d/f;"
                + "printf 22 > s/f; touch -r s d").expect(0);
    }

    @AfterEach
    void remove() {
        directory.close();
    }

    @Test
    void aDryRunPrintsTheLinesOfTheRun() throws Exception {
        String[] lines = {">f.st...... f", "cd+++++++++ d/", ">f+++++++++ d/g", "cL+++++++++ l -> f",
                "*deleting   gone/h", "*deleting   gone/"};
        assertThat(cli.runWarmly("sync", "-n", "--delete", "s/", "d").expect(0).out().lines())
                .containsExactlyInAnyOrder(lines);
        Run run = cli.runWarmly("sync", "-i", "--delete", "s/", "d").expect(0);
        assertThat(run.out().lines()).containsExactlyInAnyOrder(lines);
        assertThat(run.err()).contains("copied 3 entries, 1 directory, 3 B, removed 2 entries; compared 4 entries");
        assertThat(cli.runWarmly("sync", "-i", "--delete", "s/", "d").expect(0).err())
                .contains("nothing to do; compared 5");
        cli.runWarmly("cmp", "--content", "s", "d").expect(0);
    }

    @Test
    void optionsOfRsyncThatChangeNothingAreAccepted() throws Exception {
        String given = "sync -ah -rlptgoDW --numeric-ids --whole-file --human-readable --delete-delay s/ d";
        assertThat(cli.runWarmly(given.split(" ")).expect(0).err()).contains("copied 3 entries", "removed 2 entries");
        cli.runWarmly("cmp", "--content", "s", "d").expect(0);
        cli.warmly("mkdir d/gone; $T sync -h --delete-after s/ d; test ! -e d/gone; mkdir d/gone; "
                + "$T sync -q --delete-before s/ d; test ! -e d/gone").expect(0);
        assertThat(cli.runWarmly("sync", "-h").expect(2).err()).contains("no source given");
    }

    @Test
    void aSourceWithoutASlashHasItsName() throws Exception {
        assertThat(cli.runWarmly("sync", "-i", "s", "d").expect(0).out().lines()).contains("cd+++++++++ s/",
                "cL+++++++++ s/l -> f");
        cli.runWarmly("cmp", "--content", "s", "d/s").expect(0);
    }

    @Test
    void jsonHasChangesAndASummary() throws Exception {
        assertThat(cli.runWarmly("sync", "--json", "-i", "s/", "d").expect(0).out().lines())
                .contains("{\"v\":1,\"type\":\"change\",\"action\":\"update\",\"path\":\"f\",\"kind\":\"regular\","
                        + "\"differing\":[\"size\",\"mtime\"]}")
                .anyMatch(line -> line.contains("\"type\":\"summary\"") && line.contains("\"copied\":3"));
    }

    @Test
    void theListThatCmpPrintsIsRepaired() throws Exception {
        cli.warmly("$T sync s/ d; printf 9 > d/d/g; touch -r s/d/g d/d/g; rm d/l; touch -r s d").expect(0);
        assertThat(cli.warmly("$T cmp --content s d").expect(1).err()).contains("only-in-a 1", "content 1");
        Run run = cli.sh("$T cmp -0 --content --ignore=only-in-b,mtime s d | $T sync -i -c -0 --files-from - s d")
                .expect(0);
        assertThat(run.out().lines()).containsExactlyInAnyOrder(">fc........ d/g", "cL+++++++++ l -> f");
        cli.runWarmly("cmp", "--content", "--ignore=only-in-b", "s", "d").expect(0);
        assertThat(cli.warmly("printf 'f\\n../x' > list; $T sync --files-from list s d").expect(2).err())
                .contains("leads outside the root");
    }

    @Test
    void theListThatCmpPrintsKeepsHardLinks() throws Exception {
        cli.warmly("ln s/f s/k; printf 5 > s/n; ln s/n s/d/n; $T sync s/ d; rm d/k; ls -i d/f | cut -d' ' -f1 > inode;"
                + " mkdir s/new; ln s/d/n s/new/n; ln s/f s/new/f; touch -r d s").expect(0);
        assertThat(cli.warmly("$T cmp -0 --ignore=only-in-b,mtime s d | tr '\\0' '\\n'").expect(0).out().lines())
                .containsExactlyInAnyOrder("d/n", "f", "k", "n", "new");
        cli.sh("$T cmp -0 --ignore=only-in-b,mtime s d | $T sync -0 --files-from - s d").expect(0);
        cli.warmly(
                "$T cmp --content --ignore=only-in-b s d && test d/f -ef d/k && test d/f -ef d/new/f && test d/n -ef d/d/n"
                        + " && test d/n -ef d/new/n && test \"$(ls -i d/f | cut -d' ' -f1)\" = \"$(cat inode)\"")
                .expect(0);
    }

    @Test
    void aSnapshotLinksToTheOneBefore() throws Exception {
        cli.runWarmly("sync", "s/", "1").expect(0);
        Run run = cli.warmly("printf 3 > s/new; $T sync -n --link-dest ../1 s/ 2; $T sync -i --link-dest ../1 s/ 2")
                .expect(0);
        assertThat(run.out().lines().filter(line -> line.startsWith(">"))).containsExactly(">f+++++++++ new",
                ">f+++++++++ new");
        assertThat(run.err()).contains("would copy 1 entry, 2 directories, would link 3 entries;",
                "copied 1 entry, 2 directories, linked 3 entries, 1 B;");
        cli.sh("test 1/f -ef 2/f && test 1/d/g -ef 2/d/g").expect(0);
        assertThat(cli.warmly("$T sync --compare-dest ../1 s/ 3; find 3 ! -type d").expect(0).out().lines())
                .containsExactly("3/new");
        assertThat(cli.runWarmly("sync", "--link-dest", "../1", "--compare-dest", "../1", "s/", "4").expect(2).err())
                .contains("exclude each other");
    }

    @Test
    void aRenamedFileIsRenamedInTheCopy() throws Exception {
        cli.runWarmly("sync", "s/", "1").expect(0);
        Run run = cli
                .warmly("ls -i 1/d/g | cut -d' ' -f1 > inode; mv s/d s/e; $T sync -n --delete --detect-renames s/ 1;"
                        + " $T sync -i --delete --detect-renames s/ 1; test \"$(ls -i 1/e/g | cut -d' ' -f1)\" = \"$(cat inode)\"")
                .expect(0);
        assertThat(run.out().lines().filter(line -> line.startsWith("*renaming")))
                .containsExactly("*renaming   d/g -> e/g", "*renaming   d/g -> e/g");
        assertThat(run.err()).contains("would make 1 directory, would rename 1 entry, ",
                "made 1 directory, renamed 1 entry, ");
        assertThat(cli.warmly("mv s/e s/x; $T sync --json -n --delete --detect-renames s/ 1").expect(0).out().lines())
                .contains("{\"v\":1,\"type\":\"change\",\"action\":\"rename\",\"path\":\"x/g\",\"kind\":\"regular\","
                        + "\"from\":\"e/g\",\"differing\":[]}")
                .anyMatch(line -> line.contains("\"renamed\":1"));
        assertThat(cli.runWarmly("sync", "--detect-renames", "s/", "1").expect(2).err()).contains("needs --delete");
        for (String before : List.of("--delete=before", "--delete=b", "--delete-before")) {
            assertThat(cli.runWarmly("sync", "--detect-renames", before, "s/", "1").expect(2).err())
                    .contains("use --delete");
        }
        assertThat(
                cli.runWarmly("sync", "--detect-renames", "--delete", "--link-dest", "../1", "s/", "2").expect(2).err())
                .contains("--detect-renames and --link-dest exclude each other");
        assertThat(cli.runWarmly("sync", "--detect-renames", "--delete", "-I", "s/", "1").expect(2).err())
                .contains("--ignore-times copies every file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--delete", "--delete=after", "--force"})
    void anOrdinaryUserRemovesFromDirectoriesThatAreWriteProtected(String option) throws Exception {
        Privilege.requireRoot("it becomes another user");
        Installed.require("setpriv");
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        // Directories as in the cache of modules of Go, and a directory that is in the way of a file.
        cli.sh("rm -r d/gone d/f; mkdir -p d/d/old/deep d/f s/d/both d/d/both; : > d/d/old/deep/h; : > d/f/k; : > d/d/both/m;"
                + "chmod 555 d/d/old/deep d/d/old d/d/both s/d/both d/d s/d d/f; chown -R 65534:65534 s d").expect(0);
        String user = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
        Run run = cli.sh(user + "$T sync " + option + " s/ d").expect(0);
        assertThat(run.err()).doesNotContain("failed");
        String differences = cli.sh("$T cmp s d").out();
        if (option.equals("--force")) {
            assertThat(differences.lines()).as("only what stays without --delete")
                    .allMatch(line -> line.contains("only in d") || line.contains(": mtime"));
            assertThat(cli.sh("stat -c %a d/d/old/deep d/d/both d/d").out()).isEqualTo("555\n555\n555\n");
        } else {
            assertThat(differences).isEmpty();
        }
    }

    @Test
    void anOrdinaryUserChangesTheAttributesOfFilesThatAreWriteProtected() throws Exception {
        Privilege.requireRoot("it becomes another user");
        Installed.require("setpriv", "setfattr");
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        cli.sh("rm -r d/gone; setfattr -n user.a -v 1 s/f; setfattr -n user.b -v 1 s/f; cp -aT s d; cp -p s/f d/set; cp -p s/f s/set;"
                + "setfattr -x user.b s/f; setfattr -n user.a -v 2 s/f; setfattr -n user.c -v 3 s/set;"
                + "chmod 444 s/f d/f s/set d/set; chown -R 65534:65534 s d").expect(0);
        String user = "setpriv --reuid 65534 --regid 65534 --clear-groups ";
        cli.sh(user + "$T sync s/ d").expect(0);
        cli.sh("$T cmp s d").expect(0);
        assertThat(cli.sh("stat -c %a d/f d/set").out()).isEqualTo("444\n444\n");
    }

    // The directory above its name stays, so that it gets its mode back.
    @Test
    void aDirectoryThatStaysIsWriteProtectedAgain() throws Exception {
        Privilege.requireRoot("it becomes another user");
        Installed.require("setpriv");
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        cli.sh("rm -r d/gone; mkdir d/old; : > d/old/1; : > d/old/2; chmod 555 d/old; chown -R 65534:65534 s d")
                .expect(0);
        cli.sh("setpriv --reuid 65534 --regid 65534 --clear-groups $T sync --delete --max-delete 1 s/ d").expect(25);
        assertThat(cli.sh("stat -c %a d/old; ls d/old | wc -l").out()).isEqualTo("555\n1\n");
    }

    @Test
    void dataOfAFileThatDoesNotGetItsNameAreNotInTheSummary() throws Exception {
        Privilege.requireCapability(Privilege.SYS_ADMIN, "it mounts");
        cli.sh("rm -r s/d s/l d/gone; touch -r s d; mount --bind d/f d/f").expect(0);
        try {
            assertThat(cli.sh("$T sync s/ d").expect(23).err()).contains("sync: nothing done; compared 2 entries");
        } finally {
            cli.sh("umount d/f").expect(0);
        }
    }

    @Test
    void theExitCodeSaysWhatHappened() throws Exception {
        assertThat(cli.runWarmly("sync", "nothing", "d").expect(2).err()).contains("'nothing' does not exist");
        assertThat(cli.runWarmly("sync", "s/").expect(2).err()).contains("no destination given after 's/'");
        assertThat(cli.runWarmly("sync", "--delete=never", "s/", "d").expect(2).err()).contains("before, after, delay");
        assertThat(cli.runWarmly("sync", "--delete", "--max-delete", "1", "s/", "d").expect(25).err())
                .contains("1 entry stays because of --max-delete");
        assertThat(cli.warmly("mkdir e; $T sync --delete e/ d").expect(2).err()).contains("the source 'e/' is empty",
                "--force");
        assertThat(cli.warmly("rm d/f; mkdir -p d/f/x; $T sync s/ d").expect(23).err()).contains("d/f: make way",
                "--delete");
        cli.runWarmly("sync", "--force", "s/", "d").expect(0);
    }

    @Test
    void jobsCopyAndTheLastOneRemoves() throws Exception {
        String jobs = "sync --state-dir state --scheduler local --jobs 1 --delete s/ d";
        assertThat(cli.runWarmly((jobs + " -n").split(" ")).expect(0).out()).contains(">f.st...... f",
                "*deleting   gone/h");
        assertThat(cli.runWarmly((jobs + " --max-delete 1 --wait").split(" ")).expect(25).err()).contains(
                "compared 4 entries; jobs copy 3 entries", "1 entry stays because of --max-delete 1",
                "partial: 3 of 3 entries, removed 1 entry, 3 B");
        assertThat(cli.runWarmly("resume", "--state-dir", "state", "--wait", "last").expect(0).err())
                .contains("removed 1 entry");
        cli.runWarmly("cmp", "--content", "s", "d").expect(0);
        assertThat(cli.runWarmly(jobs.split(" ")).expect(0).err()).contains("nothing to do; compared 5 entries");
        cli.sh("mv s/f s/renamed").expect(0);
        assertThat(cli.runWarmly((jobs + " --detect-renames").split(" ")).expect(0).err()).contains("renamed 1 entry",
                "nothing to do; compared 5 entries");
    }

    @Test
    void optionsThatJobsDoNotHaveAreRefused() throws Exception {
        for (String option : List.of("--delete=before", "--delete-before", "-i", "--link-dest=../e",
                "--compare-dest=../e", "--files-from=list", "--plan-in-job", "--log-file=log", "--errors=list",
                "--where=path=s/d*")) {
            assertThat(cli.runWarmly("sync", "--jobs", "1", option, "s/", "d").expect(2).err())
                    .contains("try 'treehaul sync --help'");
        }
        assertThat(cli.runWarmly("sync", "--ranks", "2", "s/", "d").expect(2).err()).contains("--scheduler", "--meet",
                "--threads");
        cli.sh("test ! -e d/d/g").expect(0);
    }
}
