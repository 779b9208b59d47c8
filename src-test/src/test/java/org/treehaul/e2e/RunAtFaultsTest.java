// SPDX-License-Identifier: Apache-2.0
package org.treehaul.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.tuplespace.store.SpaceUri;

/** {@code treehaul run --at} on nodes whose part of the work is killed, stopped and cut off. */
@Tag("rig")
class RunAtFaultsTest {

    private static final String AT = "$T run --space cat --at job ";

    private final TestDirectory directory = TestDirectory.make();
    private final Cli cli = new Cli(directory.path());

    @BeforeEach
    void make() throws Exception {
        cli.sh("mkdir -p disk1 disk2 src && for i in 1 2 3 4 5 6 7 8; do echo $i > src/f$i; done").expect(0);
        cli.warmly("$T stage in -q --space cat --directories disk1,disk2 src job:").expect(0);
        try (Catalogue catalogue = Catalogue.open(SpaceUri.parse(directory.resolve("cat").toString()), "job")) {
            for (StageServer server : catalogue.servers()) {
                catalogue.add(new StageServer("job", server.name(), server.name().equals("d1") ? "node1" : "node2",
                        server.id(), server.directory(), ""));
            }
        }
    }

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    @Tag("happy-path")
    void aNodeWhosePartIsKilledIsNamedAndTheOtherDoesItsPart() throws Exception {
        Run run = cli
                .warmly(AT + "--threads 1 --launch 'env NODE={host}' -- sh -c '[ $NODE = node2 ] || kill -9 $PPID; "
                        + "cat \"$1\"' sh");
        assertThat(run.expect(23).err())
                .contains("node1: the work on the node ended with 137", "on node2 handled 4 entries")
                .doesNotContain("on node1 handled");
        assertThat(run.out().lines()).hasSize(4);
        // The next run on the node removes what the killed one has left, and handles all files.
        assertThat(cli.warmly(AT + "--launch 'env NODE={host}' -- cat | sort | tr -d '\\n'").expect(0).out())
                .isEqualTo("12345678");
    }

    @Test
    void aNodeWhosePartIsStoppedForAWhileHandlesAllFilesOnce() throws Exception {
        Run run = cli.warmly(AT + "--threads 1 --launch 'env NODE={host}' -- sh -c 'cat \"$1\"; [ $NODE = node1 ] && "
                + "mkdir stopped 2> /dev/null && { (sleep 3; kill -CONT $PPID) & kill -STOP $PPID; }; exit 0' sh");
        assertThat(run.expect(0).err()).contains("on node1 handled 4 entries", "on node2 handled 4 entries");
        assertThat(run.out().lines().sorted()).containsExactly("1", "2", "3", "4", "5", "6", "7", "8");
        assertThat(directory.resolve("stopped")).isDirectory();
    }

    @Test
    void aNodeThatIsCutOffEndsItsCommandsAtOnceAndTheOtherDoesItsPart() throws Exception {
        // The launcher passes its input on through another process, as ssh does through the network.
        Path on = Files.writeString(directory.resolve("on"), """
                #!/bin/sh
                export NODE=$1
                shift
                mkfifo line.$NODE
                exec 3<&0
                cat <&3 > line.$NODE & echo $! > cat.$NODE
                exec "$@" < line.$NODE 3<&-
                """);
        cli.sh("chmod +x " + on).expect(0);
        Run run = cli.sh(AT + "--threads 1 --launch '" + on + " {host}' -- sh -c 'echo $$ > begun.$NODE; "
                + "until [ -e go ]; do sleep 0.1; done; cat \"$1\"' sh > out 2> err & pid=$!\n"
                + "until [ -s begun.node1 ] && [ -s begun.node2 ]; do sleep 0.1; done\n" + "kill -9 $(cat cat.node1)\n"
                + "while kill -0 $(cat begun.node1) 2> /dev/null; do sleep 0.1; done\n: > go\nwait $pid; echo $?\n"
                + "wc -l < out; cat err >&2");
        assertThat(run.out()).as(run.err()).isEqualTo("23\n4\n");
        assertThat(run.err()).contains("on node2 handled 4 entries");
    }
}
