// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.treehaul.packaged.Run;

/** A walk by one rank on each of the four nodes of a real Slurm, started by srun. */
@ExtendWith(SlurmRig.class)
@Tag("rig")
class SlurmRanksTest {

    private static final List<String> SRUN = List.of("srun", "--quiet", "--nodes=4", "--ntasks-per-node=1");

    private SlurmRig.Running rig;
    private RankGroup group;
    private Path tree = Path.of("");

    @BeforeEach
    void makeGroup(SlurmRig.Running running) throws Exception {
        RankGroup.requireMpj();
        rig = running;
        group = new RankGroup();
        tree = group.tree();
    }

    @AfterEach
    void removeGroup() throws Exception {
        if (group != null) {
            Run.of(rig.environment(), "scancel", "--full", "--me");
            TransferCli.until(() -> rig.run("squeue", "-h").isEmpty());
            group.close();
        }
    }

    @Test
    @Tag("happy-path")
    void theRanksOfAllNodesSumUpToTheResultOfOneProcess() throws Exception {
        Run run = Run.of(group.environment(rig.environment()), group.command(SRUN, 4, -1, tree).toArray()).expect(0);
        assertThat(RankGroup.withoutTies(run.out()))
                .isEqualTo(RankGroup.withoutTies(Run.treehaul("walk", tree).expect(0).out()));
    }

    @Test
    void whenOneIsKilledAllOthersEndAndNameItsNode() throws Exception {
        Path script = group.resolve("rank.sh");
        Files.writeString(script, """
                cd "${0%/*}"
                mkfifo full.$SLURM_PROCID
                exec 3<> full.$SLURM_PROCID
                "$@" > full.$SLURM_PROCID 2> $SLURM_PROCID.err &
                echo $! > $SLURM_PROCID.new && mv $SLURM_PROCID.new $SLURM_PROCID.pid
                wait $!
                echo $? > $SLURM_PROCID.code
                """);
        List<Object> by = new ArrayList<>(SRUN);
        by.addAll(List.of("--kill-on-bad-exit=0", "bash", script));
        ProcessBuilder builder = new ProcessBuilder(group.command(by, 4, -1, "--print", tree)).inheritIO();
        builder.environment().clear();
        builder.environment().putAll(group.environment(rig.environment()));
        Process srun = builder.start();
        try {
            TransferCli.until(() -> {
                assertThat(srun.isAlive()).isTrue();
                return Files.exists(group.resolve("meeting"));
            });
            TransferCli.until(() -> {
                assertThat(srun.isAlive()).isTrue();
                return !Files.exists(group.resolve("meeting"));
            });
            Run.of("kill", "-9", Files.readString(group.resolve("2.pid")).strip()).expect(0);
            srun.waitFor();
            for (int rank : new int[]{0, 1, 3}) {
                assertThat(Files.readString(group.resolve(rank + ".code"))).as(group.err(rank)).isEqualTo("2\n");
                assertThat(group.err(rank)).contains("rank 2 on node3 is gone");
            }
        } finally {
            srun.destroyForcibly();
        }
    }
}
