// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the same lines with GNU cp and with treehaul cp on equal trees, and compares the results. */
class CpLikeGnuTest {

    private static final String TREE = """
            umask 022
            mkdir -p d/sub e full/d other; printf 1 > f; printf 22 > d/f; printf 333 > d/sub/g; printf x > full/f
            printf yy > full/d/f; ln f hard; ln -s d ld; ln -s f lf; ln -s nothing dangling; ln -s ../f d/rel; ln d/f d/again
            mkfifo d/fifo; chmod 750 d/sub; chmod 4711 d/f; chmod 777 e; printf o > other/f; : > d/empty
            touch -d '2001-02-03 04:05:06.123456789' d/sub/g d/f f; touch -h -d '1969-12-31 23:00:00' d/rel; touch -d '1999-09-09' d/fifo d/empty d/sub; touch -d '2150-01-01' d
            """;

    // Kind, mode, links, size and target of all entries; times only where cp keeps them.
    private static final String LIST = "find . -printf '%P %y %m %n %s %l\\n' | sort";
    private static final String LIST_TIMES = "find new e -mindepth 1 -printf '%P %T@\\n' 2>/dev/null | sort";

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
            strings = {"f new", "f e", "f hard2 -T", "lf new", "-P lf new", "-r d new", "-r d e", "-r d/. e",
                    "-r . ../x", "-a d new", "-a d e", "-a d/. e", "-aT d e", "-a ld new", "-a ld/ new", "-rL ld new",
                    "-rH ld new", "-dr d new", "-p d/f new", "-r --preserve=timestamps d new",
                    "-r --preserve=links,mode d new", "-rt e d f", "-t e f d/sub/g", "-a f hard d/again e",
                    "-n f full/f", "-u f full", "-a d full", "--parents d/sub/g e", "-a --parents d/sub ld/f e",
                    "-r --parents ./d//sub/ e", "--attributes-only f new", "-a --attributes-only d new",
                    "--remove-destination f full/f", "--in-place other/f hard", "--strip-trailing-slashes -a ld/ e",
                    "-r d/sub/.. e", "-- f new"})
    void successfulCopiesLeaveTheSameTrees(String line) throws Exception {
        same(line, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"nothing new", "d new", "f f", "f hard", "f new/", "nothing f e", "d f e", "-r d f", "-T f e",
                    "f d/f nothing", "f dangling", "-r other full/f", "d/f e/x/y"})
    void copiesThatFailWithGnuCpFailAndLeaveTheSameTrees(String line) throws Exception {
        same(line, 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-r d d", "-r d d/sub/x", "-r d/. e d/sub", "-r d ld", "f d/f e", "-r other/. f e"})
    void refusedCopiesLeaveNothing(String line) throws Exception {
        String before = ours.sh(LIST).out();
        ours.warmly("$T cp " + line).expect(2);
        assertThat(ours.sh(LIST).out()).isEqualTo(before);
    }

    private void same(String line, int gnuCode) throws Exception {
        String gnuLine = line.replace("--in-place ", "");
        trees.sameWarmly("cp " + gnuLine, "$T cp " + line, gnuCode);
        if (line.startsWith("-a") || line.startsWith("-p") || line.contains("timestamps")) {
            assertThat(ours.sh(LIST_TIMES).out()).isEqualTo(gnu.sh(LIST_TIMES).out());
        }
        Path outside = trees.path().resolve("x");
        if (Files.exists(outside)) {
            assertThat(Files.isDirectory(outside)).isTrue();
        }
    }
}
