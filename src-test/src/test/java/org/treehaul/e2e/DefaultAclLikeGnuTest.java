// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.programs.Programs;

/**
 * Copies into directories with default ACLs with GNU cp and with treehaul cp, and compares the ACLs and modes of all
 * results.
 */
class DefaultAclLikeGnuTest {

    // The same tree in directories with different default ACLs: with and without a mask, open, closed, and closed to
    // the owner.
    private static final String TREE = """
            umask 022
            n=0
            for acl in u::rwx,u:1000:rwx,g::rx,o::- u::rwx,g::rwx,o::rwx u::rwx,g::-,o::- u::rwx,u:1000:rx,g::rwx,m::rx,o::rx \\
                    u::rwx,u:1000:rwx,g:7:rwx,g::-,m::rwx,o::rwx u::rx,g::rx,o::r; do
                n=$((n + 1))
                mkdir -p S/a$n/old T/a$n/old
                for mode in 700 755 775 777 1777 2755 550; do
                    mkdir -p S/a$n/d$mode/below; echo x > S/a$n/d$mode/f; chmod 644 S/a$n/d$mode/f
                done
                for mode in 400 600 644 664 666 755 4755; do
                    echo x > S/a$n/f$mode; chmod $mode S/a$n/f$mode
                    echo x > S/a$n/old/f$mode; chmod $mode S/a$n/old/f$mode
                done
                truncate -s 300000 S/a$n/large; mkfifo S/a$n/fifo; chmod 662 S/a$n/fifo
                echo yy > S/a$n/there; echo y > T/a$n/there; chmod 640 T/a$n/there
                setfacl -d -m $acl T/a$n
                for mode in 700 755 775 777 1777 2755 550; do chmod $mode S/a$n/d$mode; done
            done
            """;

    private static final String LIST = "cd T; find . | LC_ALL=C sort | getfacl -n -";

    @AutoClose
    private final EqualTrees trees = new EqualTrees(TREE, LIST);

    @BeforeEach
    void makeTrees() throws Exception {
        Programs.require("setfacl", "acl");
        trees.make();
    }

    @Test
    void aPlainCopyHasTheAclsThatGnuCpLeaves() throws Exception {
        same("022", "cp -rT S T", "-rT S T");
    }

    @ParameterizedTest
    @Tag("rig")
    @ValueSource(strings = {"000", "002", "077"})
    void aPlainCopyHasTheAclsThatGnuCpLeavesUnderOtherUmasks(String umask) throws Exception {
        same(umask, "cp -rT S T", "-rT S T");
    }

    @ParameterizedTest
    @CsvSource({"022, --scheduler local --jobs 2 --chunk-size 1M --wait", "077, --ranks 2", "002, --in-place"})
    void jobsAndRanksLeaveTheAclsThatGnuCpLeaves(String umask, String options) throws Exception {
        same(umask, "cp -rT S T", "-rT " + options + " S T");
    }

    @Tag("campaign")
    @ParameterizedTest
    @CsvSource({"000, --scheduler local --jobs 2 --wait", "077, --scheduler local --jobs 2 --wait",
            "002, --scheduler local --jobs 2 --wait", "000, --ranks 2", "002, --ranks 2", "022, --ranks 2"})
    void underAnyUmask(String umask, String options) throws Exception {
        same(umask, "cp -rT S T", "-rT " + options + " S T");
    }

    @Test
    void directoriesThatParentsMakesInheritToo() throws Exception {
        parents("022");
    }

    @Test
    @Tag("rig")
    void directoriesThatParentsMakesInheritUnderATightUmaskToo() throws Exception {
        parents("077");
    }

    private void parents(String umask) throws Exception {
        String names = "S/a1/d755/below S/a3/d700/f S/a5/d1777 S/a6/f666";
        trees.both("mv T U; mkdir T; setfacl -d -m u::rwx,u:1000:rwx,g::rx,o::- T");
        same(umask, "cp -r --parents " + names + " T", "-r --parents " + names + " T");
    }

    private void same(String umask, String theirs, String options) throws Exception {
        trees.sameWarmly("umask " + umask + "; " + theirs,
                "umask " + umask + "; TREEHAUL_HOME=$PWD/state $T cp " + options, 0);
    }
}
