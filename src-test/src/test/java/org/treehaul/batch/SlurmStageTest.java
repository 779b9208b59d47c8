// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;

/**
 * The job script of the page about a stage on four nodes, in a real Slurm whose nodes have names and disks of their
 * own.
 */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmStageTest {

    private static final List<String> NODES = List.of("node1", "node2", "node3", "node4");

    private SlurmRig.Running rig;
    private TestDirectory directory;

    @BeforeEach
    void setUp(SlurmRig.Running running) throws Exception {
        rig = running;
        directory = TestDirectory.make();
        Path hosts = Files.writeString(directory.resolve("hosts"),
                Files.readString(Path.of("/etc/hosts")) + "\n127.0.0.1 " + String.join(" ", NODES) + "\n");
        for (String node : NODES) {
            rig.kill(node);
            rig.startApart(node, hosts, Path.of("/srv"));
        }
    }

    @AfterEach
    void tearDown() throws Exception {
        Run.of(rig.environment(), "scancel", "--full", "--me");
        TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
        for (String node : NODES) {
            rig.kill(node);
            rig.start(node);
        }
        directory.close();
    }

    @Test
    void theScriptOfThePagePrintsWhatThePageShows() throws Exception {
        StagePage page = new StagePage();
        StagePage.prepare(directory);
        Path script = Files.writeString(directory.resolve("run7.sh"), page.script("## In a job of Slurm"));
        Map<String, String> environment = new TreeMap<>(rig.environment());
        environment.put("PATH", directory.resolve("bin") + ":" + System.getenv("PATH"));
        environment.put("TREEHAUL_SPACE", directory.resolve("space").toString());
        environment.put("TREEHAUL_PROGRESS", "never");
        environment.put("TREEHAUL_JAR", Run.JAR.toRealPath().toString());
        Run sent = Run.of(environment, "sbatch", "--wait", "--quiet", "--export=ALL", "--chdir", directory.path(),
                "--output", directory.resolve("out"), script);
        // On a busy machine, srun says that a connection of a task that has ended is gone.
        assertThat(Files.readAllLines(directory.resolve("out")).stream().filter(line -> !line.startsWith("srun: ")))
                .as(sent.err())
                .containsExactlyElementsOf(page.printed().lines().toList());
        assertThat(sent.code()).isZero();
        StagePage.assertCollected(directory);
    }
}
