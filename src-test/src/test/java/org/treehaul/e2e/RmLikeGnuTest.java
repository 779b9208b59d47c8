// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;
import org.treehaul.packaged.Run;

/** Runs the same lines with GNU rm and with treehaul rm on equal trees, and compares what stays. */
class RmLikeGnuTest {

    private static final String TREE = """
            umask 022
            mkdir -p d/sub/deep e full/d empty; printf 1 > f; printf 2 > d/f; printf 3 > d/sub/g; printf 4 > full/d/f
            ln f hard; ln -s d ld; ln -s f lf; ln -s nothing dangling; ln -s ../f d/rel; mkfifo d/fifo; : > ./-f
            """;
    private static final String LIST = "find . -printf '%P %y %n %l\\n' | sort";
    private static final String USER = "setpriv --reuid 65534 --regid 65534 --clear-groups ";

    @AutoClose
    private final EqualTrees trees = new EqualTrees(TREE, LIST);
    private final Cli gnu = trees.gnu;
    private final Cli ours = trees.ours;

    @BeforeEach
    void makeTrees() throws Exception {
        trees.make();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"f", "f hard", "-r d", "-R d e", "-rf d nothing", "-f nothing", "-f", "-r d/", "-r ld lf",
                    "dangling", "-r d full", "--recursive --force d", "--rec d", "-rf lf/", "-f f/",
                    "--one-file-system -r d", "-d empty", "--dir empty/ f", "-dr d", "-fd empty nothing", "-- -f",
                    "-if nothing", "-f --interactive=never nothing", "-r ./d//sub/", "-rf f/below", "-r d/sub d/f"})
    void successfulRemovalsLeaveTheSameTrees(String line) throws Exception {
        same(line, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"d", "d f", "nothing", "nothing f", "-r .", "-r ..", "-r d/.. f", "-r d/. f", "f/", "lf/",
                    "-r f/below e", "-r /", "-d d empty", "-d ld/", "-d . empty", "empty", "-f -i nothing",
                    "-fI nothing", "-f --interactive=once"})
    void removalsThatFailWithGnuRmFailAndLeaveTheSameTrees(String line) throws Exception {
        same(line, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-rf shut", "-rf shut full", "-rf bare"})
    void directoriesShutToTheUserAreHandledTheSame(String line) throws Exception {
        Privilege.requireRoot("it becomes another user");
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv is not installed");
        Files.setPosixFilePermissions(trees.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        String shut = """
                mkdir -p shut/empty shut/filled shut/fixed/d bare; : > shut/filled/f; : > shut/fixed/f; : > shut/f
                chown -R 65534:65534 .; chmod 0 shut/empty shut/filled bare; chmod 555 shut/fixed
                """;
        trees.both(shut);
        trees.same(USER + "rm " + line, USER + "$T rm " + line, line.contains("shut") ? 1 : 0);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"-r --where kind=regular d full; d full -depth -type f",
                    "-r --where 'name=g or name=deep or kind=fifo' d; d -depth \\( -name g -o -name deep -o -type p \\)",
                    "-r --where kind=directory e full d; e full d -depth -type d",
                    "-r --where 'path=d/sub*' d; d -depth -path d/sub*",
                    "--where 'size>0' f hard ./-f; f hard ./-f -depth -size +0c",
                    "-r --ranks 2 --where 'not kind=directory' d; d -depth ! -type d",
                    "-r --scheduler local --jobs 2 --wait --state-dir ../S --where 'name=d or name=f' full d; full d -depth \\( -name d -o -name f \\)",
                    "-r --scheduler local --wait --state-dir ../S --where name=nosuch d; d -depth -name nosuch"})
    void conditionsSelectAsFindDoes(String line, String find) throws Exception {
        // An entry that find selects, and that is not a directory with others in it, is removed.
        gnu.sh("set -f; find " + find + " -print0 > ../list; xargs -0 rm -df < ../list 2> ../errors");
        String reported = ours
                .sh("$T rm --dry-run " + line.replaceAll("--(scheduler|state-dir) \\S+|--(jobs|ranks) 2|--wait", ""))
                .expect(0)
                .out();
        Run mine = ours.warmly("$T rm " + line).expect(0);
        assertThat(ours.sh(LIST).out()).as(mine.err()).isEqualTo(gnu.sh(LIST).out());
        assertThat(gnu.sh("sort -z ../list | tr '\\0' '\\n'").out().lines())
                .containsAll(reported.lines().map(text -> text.replace("remove ", "")).toList());
    }

    @Test
    void conditionsAndDetachingExcludeEachOther() throws Exception {
        assertThat(ours.warmly("$T rm -r --detach --where size=1 d").expect(2).err())
                .contains("--detach removes each PATH as a whole, so it cannot be combined with --where");
        assertThat(ours.warmly("$T rm -r --where siez=1 d").expect(2).err()).contains("unknown field 'siez'");
    }

    private void same(String line, int gnuCode) throws Exception {
        trees.sameWarmly("rm " + line, "$T rm " + line, gnuCode);
    }

    // GNU rm empties the directory.
    @ParameterizedTest
    @ValueSource(strings = {"-r ld/", "-rf ld/", "-r ld//"})
    void aLinkWithASlashIsNotFollowed(String line) throws Exception {
        String before = ours.sh(LIST).out();
        ours.warmly("$T rm " + line).expect(2);
        assertThat(ours.sh(LIST).out()).isEqualTo(before);
    }

    // For an empty directory GNU rm asks once, about its removal; here, it is also entered.
    @ParameterizedTest
    @ValueSource(
            strings = {"yyyy|-i f hard", "nyn|-i f hard lf", "|-i f", "y|-I -r d", "n|-Ir d e", "|-I f hard lf",
                    "n|-I f hard lf ld", "Y|--interactive=once f hard lf ld", "n|-rf -i full", "n|-i -f f",
                    "n|--interactive=never f", "yyyyyy|-ri full", "yn|-ri full", "yynn|-ri full", "yyyn|-ri full",
                    "yyyyn|-r --interactive full"})
    void theSameIsAsked(String line) throws Exception {
        String[] parts = line.split("\\|", 2);
        String answers = "printf '" + parts[0].replaceAll("(.)", "$1\\\\n") + "' | ";
        trees.sameWarmly(answers + "rm " + parts[1], answers + "$T rm " + parts[1], 0);
    }

    @Test
    void homeDirectoriesAndMountPointsStay() throws Exception {
        String refused = ours.warmly("HOME=$PWD/d/sub; export HOME; $T rm -rI e d <<END\ny\nEND\n").expect(23).err();
        assertThat(refused).contains("d: refused to remove the home directory, or a directory that contains it")
                .contains("remove 2 arguments recursively? ");
        assertThat(ours.sh("find d e").out()).contains("d/sub/g").doesNotContain("e\n");
        assertThat(ours.warmly("$T rm -r /proc").expect(2).err())
                .contains("/proc: refused to remove a directory of the system; --allow=system permits it");
        assertThat(ours.warmly("$T rm -r --allow=system /proc").expect(2).err())
                .contains("/proc: refused to remove a mount point");
        assertThat(ours.warmly("HOME=$PWD/d; export HOME; $T rm -r --scheduler local --state-dir S --wait d")
                .expect(2)
                .err()).contains("--allow=home");
        ours.warmly("HOME=$PWD/d/sub; export HOME; $T rm -r --allow=home d").expect(0);
        assertThat(ours.warmly("$T rm -r --allow=all full").expect(2).err())
                .contains("--allow takes home, system or mount, not 'all'");
        assertThat(ours.warmly("$T rm -r --rate 0 full").expect(2).err()).contains("--rate must be 1 or more");
        assertThat(ours.warmly("$T rm -ri --scheduler local full").expect(2).err()).contains("use -I");
    }

    @Test
    void resultsAreReportedAsByCp() throws Exception {
        assertThat(ours.warmly("$T rm").expect(2).err()).contains("no path is given");
        assertThat(ours.warmly("$T rm d").expect(2).err()).contains("d: unlink: Is a directory");
        assertThat(ours.warmly("$T rm nothing f").expect(23).err()).contains("nothing: stat: No such file");
        assertThat(ours.warmly("$T rm -r --dry-run full").expect(0).out().lines())
                .containsExactlyInAnyOrder("remove full", "remove full/d", "remove full/d/f");
        assertThat(ours.warmly("$T rm -rv --json --log-file LOG full").expect(0).out().lines())
                .contains("{\"v\":1,\"type\":\"done\",\"action\":\"remove\",\"path\":\"full/d/f\"}")
                .anyMatch(text -> text.contains("\"type\":\"summary\"") && text.contains("\"entries\":3"));
        assertThat(Files.readString(trees.path().resolve("ours/LOG"))).contains(" begin treehaul rm -rv --json",
                " remove full/d\n", " end exit code 0");
        ours.warmly("$T rm --errors ERR nothing d/.").expect(2);
        assertThat(Files.readString(trees.path().resolve("ours/ERR"))).isEqualTo("d/.\0nothing\0");
    }
}
