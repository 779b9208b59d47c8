// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.testing.Privilege;

/** Runs the same lines with GNU chmod, chown and chgrp and with treehaul on equal trees, and compares the trees. */
class ChangeLikeGnuTest {

    private static final String TREE = """
            umask 022
            mkdir -p d/sub e; : > f; : > d/f; : > d/sub/g; : > ./-f; ln -s d ld; ln -s f lf; ln -s nothing dangling
            ln -s ../f d/rel; mkfifo d/fifo; chmod 4755 f; chmod 2775 d; chmod 600 d/sub/g; chmod 700 e
            """;
    private static final String LIST = "find . -printf '%P %y %m %U %G\\n' | sort";

    @AutoClose
    private final EqualTrees trees = new EqualTrees(TREE, LIST);
    private final Cli ours = trees.ours;

    @BeforeEach
    void makeTrees() throws Exception {
        trees.make();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"chmod 600 f", "chmod -R u+rwX,go-w d", "chmod -w f", "chmod -rw,u+x f d/f", "chmod -R -x d",
                    "chmod ld -r", "chmod 750 ld", "chmod -R 750 ld", "chmod 755 d", "chmod --reference=e d f",
                    "chmod -- -x f", "chmod 00755 d", "chmod --rec g=u d", "chmod -f 640 f", "chmod go= -R d e",
                    "chmod +x -- -f"})
    void successfulChangesOfModesLeaveTheSameTrees(String line) throws Exception {
        same(line, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"chmod 644", "chmod 888 f", "chmod u+y f", "chmod 600 nothing f", "chmod 600 dangling",
                    "chmod -f 600 nothing", "chmod", "chmod -R"})
    void changesOfModesThatFailWithGnuFailAndLeaveTheSameTrees(String line) throws Exception {
        same(line, 1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"chown 1:2 f d", "chown -R +3 d", "chown :daemon f", "chown -R daemon: d ld", "chown -h 5 lf",
                    "chown 5 lf", "chown --from=0:0 7:7 f", "chown --from=1 7 f", "chown -R --reference=f d",
                    "chown : d/f", "chown '' d/f", "chgrp 4 f ld", "chgrp -R daemon d", "chgrp -h 4 lf",
                    "chgrp --reference f d", "chown -RP 6 d"})
    void successfulChangesOfOwnersLeaveTheSameTrees(String line) throws Exception {
        Privilege.requireRoot("it gives files to other users");
        same(line, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"chown nosuchuser f", "chown 1:nosuchgroup f", "chown 1: f", "chgrp nosuchgroup f",
                    "chown 1 nothing f", "chown 4294967295 f", "chgrp", "chown -R --dereference 1 nothing"})
    void changesOfOwnersThatFailWithGnuFailAndLeaveTheSameTrees(String line) throws Exception {
        Privilege.requireRoot("it gives files to other users");
        same(line, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"444", "0", "111"})
    void directoriesShutToTheUserAreReportedOnce(String mode) throws Exception {
        Privilege.requireRoot("it becomes another user");
        Files.setPosixFilePermissions(trees.path(), PosixFilePermissions.fromString("rwxr-xr-x"));
        trees.both("chown -R 65534:65534 .; chmod " + mode + " d");
        String user = "setpriv --reuid 65534 --regid 65534 --groups 65534,100 ";
        trees.same(user + "chgrp -R 100 d", user + "$T chgrp -R 100 d", 1);
        assertThat(ours.sh(user + "$T chgrp -R 4 d").err().lines().filter(line -> line.contains(": d: "))).hasSize(1);
    }

    private void same(String line, int gnuCode) throws Exception {
        trees.sameWarmly("umask 022; " + line, "umask 022; $T " + line, gnuCode);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"chmod -R --where kind=directory 2750 d e; find d e -type d -exec chmod 2750 {} +",
                    "chmod -R --where 'kind=regular name=f' a-r d f; find d f -type f -name f -exec chmod a-r {} +",
                    "chmod -R --ranks 2 --where 'not kind=directory' g=u d; find d ! -type d ! -type l -exec chmod g=u {} +",
                    "chmod --where kind=directory 700 d f; chmod 700 d",
                    "chmod -R --scheduler local --jobs 2 --wait --state-dir ../S --where 'kind=directory not name=sub' 2750 d e;"
                            + " find d e -type d ! -name sub -exec chmod 2750 {} +",
                    "chmod -R --scheduler local --jobs 2 --wait --state-dir ../S --where 'path=d/* kind=regular' 600 d f;"
                            + " find d -path 'd/*' -type f -exec chmod 600 {} +"})
    void conditionsSelectAsFindDoes(String line, String byFind) throws Exception {
        trees.sameWarmly(byFind, "$T " + line, 0);
        if (Privilege.isRoot()) {
            trees.sameWarmly("find d -type d -exec chown 3:4 {} +", "$T chown -R --where kind=directory 3:4 d", 0);
        }
    }

    @Test
    void resultsAreReported() throws Exception {
        assertThat(ours.warmly("$T chmod 600").expect(2).err()).contains("no path is given");
        assertThat(ours.warmly("$T chmod -RL 600 d").expect(2).err()).contains("name the files to which they lead");
        assertThat(ours.warmly("$T chmod --jobs 2 600 d").expect(2).err()).contains("add -R");
        assertThat(ours.warmly("$T chmod -R --jobs 2 u=g,g=o d").expect(2).err())
                .contains("'u=g,g=o' gives another mode each time");
        assertThat(ours.warmly("$T chmod -f 600 nothing").expect(2).err()).isEmpty();
        assertThat(ours.warmly("$T chmod 600 nothing f").expect(23).err()).contains("nothing: stat: No such file");
        assertThat(ours.warmly("$T chmod -R --dry-run go= d").expect(0).out().lines())
                .contains("change d: mode 2775 -> 2700", "change d/f: mode 0644 -> 0600")
                .noneMatch(text -> text.contains("sub/g"));
        assertThat(ours.warmly("$T chmod -Rv --json --log-file LOG go= d").expect(0).out().lines())
                .contains("{\"v\":1,\"type\":\"done\",\"action\":\"change\",\"path\":\"d/f\",\"attribute\":\"mode\","
                        + "\"before\":\"0644\",\"after\":\"0600\"}")
                .anyMatch(text -> text.contains("\"action\":\"retain\",\"path\":\"d/sub/g\""))
                .anyMatch(text -> text.contains("\"type\":\"summary\""));
        assertThat(Files.readString(trees.path().resolve("ours/LOG"))).contains(" begin treehaul chmod -Rv --json",
                " change d/f: mode 0644 -> 0600\n", " retain d/sub/g: mode 0600\n", " end exit code 0");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--ranks 3", "--scheduler local --jobs 2 --wait --state-dir ../S"})
    void ranksAndJobsChangeTheSame(String by) throws Exception {
        trees.sameWarmly("chmod -R u+rwX,go=rX d e", "$T chmod -R " + by + " u+rwX,go=rX d e", 0);
        if (Privilege.isRoot()) {
            trees.sameWarmly("chown -R 11:12 d e", "$T chown -R " + by + " 11:12 d e", 0);
        }
    }
}
