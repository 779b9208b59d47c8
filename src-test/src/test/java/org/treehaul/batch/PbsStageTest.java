// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Examples;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.tuplespace.store.SpaceUri;

/** Work at a stage in a job of PBS, where pbs_tmrsh starts it on the nodes: without an input, and without signals. */
@Tag("rig")
class PbsStageTest {

    private static final String RUN = "treehaul run --at job --space cat --state-dir state ";
    private static final Duration LONG = Duration.ofMinutes(10);

    private final TestDirectory directory = TestDirectory.make();
    private PbsRig rig;

    @BeforeEach
    void stage() throws Exception {
        rig = new PbsRig(PbsDialect.OPENPBS, true, true);
        String java = Run.JAVA + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1";
        Path program = Files.writeString(Files.createDirectories(directory.resolve("bin")).resolve("treehaul"),
                "#!/bin/sh\nexec " + java + " -jar " + Run.JAR.toRealPath() + " \"$@\"\n");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        sh("mkdir disk0 disk1 src results && for i in 0 1 2 3 4 5; do echo $i > src/f$i; done"
                + " && yes 'a line of the large file' | head -c 200000 > src/large"
                + " && bin/treehaul stage in -q --space cat --stripe 64K --directories disk0,disk1 src job:");
        try (Catalogue catalogue = Catalogue.open(SpaceUri.parse(directory.resolve("cat").toString()), "job")) {
            for (StageServer server : catalogue.servers()) {
                String node = server.name().equals("d1") ? "node0" : "node1";
                catalogue.add(new StageServer("job", server.name(), node, server.id(), server.directory(), ""));
            }
        }
    }

    @AfterEach
    void end() {
        if (rig != null) {
            rig.close();
        }
        directory.close();
    }

    private Run sh(String script) throws Exception {
        return Run.of(new ProcessBuilder("sh", "-c", script).directory(directory.path().toFile())).expect(0);
    }

    private Path file(String name) {
        return directory.resolve(name);
    }

    private void submit(String script) throws Exception {
        Path job = Files.writeString(file("job.sh"), "#!/bin/bash\n#PBS -j oe\n#PBS -l select=2\ncd " + directory.path()
                + "\nPATH=$PWD/bin:$PATH\n" + script);
        Run.of(rig.environment(), rig.program("qsub"), "-o", file("output"), job).expect(0);
    }

    private String output() throws Exception {
        await().atMost(LONG).until(() -> Files.exists(file("output")) && Files.size(file("output")) > 0);
        return Files.readString(file("output"));
    }

    @Test
    @Tag("happy-path")
    void aCommandRunsOnTheNodesOfTheJobWithoutAnOption() throws Exception {
        submit(RUN + "--output-dir results -- sh -c 'echo $PBS_NODENUM $(wc -c < \"$1\")' sh\necho \"code $?\"\n");
        assertThat(output()).contains("on node0 handled ", "on node1 handled ", "code 0");
        List<String> lines = new ArrayList<>();
        try (Stream<Path> results = Files.list(file("results"))) {
            for (Path result : results.toList()) {
                String line = Files.readString(result).strip();
                assertThat(result.getFileName().toString()).contains(".node" + line.charAt(0) + ".");
                lines.add(line.substring(2));
            }
        }
        assertThat(lines).containsExactlyInAnyOrder("2", "2", "2", "2", "2", "2", "200000");
        try (Stream<Path> left = Files.list(file("state"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aSignalLetsTheCommandsOfAllNodesEnd() throws Exception {
        submit(RUN
                + "-q --threads 1 --where 'name=f*' -- sh -c ': > begun.$PBS_NODENUM; until [ -e go ]; do sleep 0.1; done; "
                + ": > done.$PBS_NODENUM' & pid=$!\nuntil [ -e begun.0 ] && [ -e begun.1 ]; do sleep 0.1; done\n"
                + "kill -TERM $pid\nuntil [ $(grep -c stopping $PBS_RIG/spool/$PBS_JOBID.OU) = 3 ]; do sleep 0.1; done\n"
                // Longer than the pause after which a second signal would end the commands.
                + "sleep 2\n: > go\nwait $pid\n" + "echo \"code $?\"\nls begun.* done.*\n");
        assertThat(output()).contains("code 20\nbegun.0\nbegun.1\ndone.0\ndone.1\n");
    }

    @Test
    void theNodesEndWithTheProcessThatHasStartedThem() throws Exception {
        submit(RUN
                + "-q --threads 1 --where 'name=f*' -- sh -c 'echo $$ > pid.$PBS_NODENUM; exec sleep 86398' & pid=$!\n"
                + "until [ -s pid.0 ] && [ -s pid.1 ]; do sleep 0.1; done\nkill -9 $pid\n"
                + "for i in 0 1; do while kill -0 $(cat pid.$i) 2> /dev/null; do sleep 0.5; done; done\necho ended\n"
                + "sleep 2\n");
        assertThat(output()).contains("ended\n");
    }

    @Test
    void jobsOfALocalSchedulerRunOnTheNodesAndAreCancelledThere() throws Exception {
        submit("export TREEHAUL_HOME=$PWD/state\n"
                + "treehaul run --at job --space $PWD/cat --scheduler local --wait --join "
                + "--where 'name=f*' -- sh -c 'echo $PBS_NODENUM' sh 2> said | sort | uniq -c | tr -s ' '\ncat said\n"
                + "id=$(treehaul run --at job --space $PWD/cat --scheduler local --where 'name=f*' -- "
                + "sh -c 'echo $$ > job.$PBS_NODENUM; exec sleep 86397' 2> /dev/null)\n"
                + "until [ -s job.0 ] && [ -s job.1 ]; do sleep 0.1; done\ntreehaul cancel $id\n"
                + "for i in 0 1; do while kill -0 $(cat job.$i) 2> /dev/null; do sleep 0.5; done; done\necho cancelled\n");
        assertThat(output()).contains(" 0\n", " 1\n", "complete: 6 of 6 entries", "cancelled\n");
    }

    @Test
    void tasksAtTheSegmentsOfAFileExchangeMessages() throws Exception {
        Path classes = Files.createDirectories(file("classes"));
        Examples.provide(classes, "UpdateStaged", "org.treehaul.schedulers.tasks.TaskProvider");
        sh("umask 077; head -c 32 /dev/urandom | base64 > secret");
        submit(Run.JAVA + " --enable-native-access=ALL-UNNAMED -cp " + Run.JAR.toRealPath()
                + ":$PWD/classes UpdateStaged $PWD/cat $PWD/secret job:large pbs_tmrsh '{host}' | sort\n"
                + "treehaul stage out -q --space cat job:large back && tr a-z A-Z < src/large | cmp - back && echo equal\n");
        // Stripes of 64 KiB in turn: 131,072 and 68,928 bytes; the letters are 19 of 25.
        assertThat(output()).containsPattern("""
                segment 0: [0-9]+ letters on node0, [0-9]+ in the segment before
                segment 1: [0-9]+ letters on node1, [0-9]+ in the segment before
                equal
                """);
    }
}
