// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;

/**
 * The emulated pbs_tmrsh starts commands as the source of OpenPBS 23.06.06 says; a real one is asked too where there is
 * one.
 */
@Tag("rig")
class PbsTmrshTest {

    private static final String EXPECTED = """
            input:\s
            exported:\s
            0077
            elsewhere
            code 7
            node 0, with a job
            killed: 9
            /no/such/program: No such file or directory
            absent: 254
            pbs_tmrsh: host "no.such.host" is not a node in job <JOB>
            survived
            waited
            """;

    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void delete() {
        directory.close();
    }

    private String outputOfJob(Map<String, String> environment, List<String> as) throws Exception {
        Files.setPosixFilePermissions(directory.path(), PosixFilePermissions.fromString("rwxrwxrwx"));
        Path script = directory.resolve("job.sh");
        TransferRig.install("pbs-tmrsh.sh", script);
        Path output = directory.resolve("output");
        Run.of(environment, "sh", "-c", String.join(" ", as) + " qsub -o '" + output + "' '" + script + "'").expect(0);
        // The server writes it when the job has ended.
        await().atMost(Duration.ofMinutes(10)).until(() -> Files.exists(output) && Files.size(output) > 0);
        return Files.readString(output);
    }

    @Test
    @Tag("happy-path")
    void theEmulatorStartsCommandsAsTheSourceSays() throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, true, true)) {
            assertThat(outputOfJob(rig.environment(), List.of())).isEqualTo(EXPECTED);
            // A killed process is there until it runs once more.
            await("end of the command that outlived its pbs_tmrsh, after that of the job")
                    .until(() -> Run.of("sh", "-c", "grep -lz '^86399$' /proc/[0-9]*/cmdline").out(), String::isEmpty);
            Run alone = Run.of(rig.environment(), rig.program("pbs_tmrsh"), "node0", "true");
            assertThat(alone.code()).isEqualTo(255);
            assertThat(alone.err()).isEqualTo("pbs_tmrsh: not executing under PBS\n");
            assertThat(Run.of(rig.environment(), rig.program("pbs_tmrsh"), "node0").code()).isEqualTo(255);
        }
    }

    /** Needs a server on which another user than root may run a job. */
    @Test
    void aRealOpenPbsStartsCommandsAsItsSourceSays() throws Exception {
        Map<String, String> environment = System.getenv();
        Run version = Run.of(environment, "sh", "-c", "qstat --version; qstat -B; pbs_tmrsh --version");
        assumeTrue(version.code() == 0 && version.out().contains("pbs_version = 23.06"),
                "there is no server of OpenPBS 23.06 that qstat asks");
        Privilege.requireRoot("to run as another user");
        assertThat(outputOfJob(environment,
                List.of("setpriv", "--reuid=" + TransferRig.USER, "--regid=" + TransferRig.USER, "--clear-groups")))
                .isEqualTo(EXPECTED);
    }
}
