// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Privilege;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;

/** The PBS commands answer like those of OpenPBS 23.06.06 from which {@code pbs-commands-*.txt} was recorded. */
@Tag("rig")
class PbsCommandsTest {
    private static final Pattern SUBMITTED = Pattern.compile("(?m)^submitted (\\d+)(?:\\[\\])?\\.([^:]+):");

    @Test
    @Tag("happy-path")
    void theEmulatorAnswersAsRecorded() throws Exception {
        answerAsRecorded(false);
    }

    @Test
    void theEmulatorWithAHistoryAnswersAsRecorded() throws Exception {
        answerAsRecorded(true);
    }

    private static void answerAsRecorded(boolean history) throws Exception {
        try (PbsRig rig = new PbsRig(PbsDialect.OPENPBS, true, history)) {
            assertThat(answers(rig.environment(), List.of())).isEqualTo(recorded(history));
        }
    }

    /** Needs a real server for itself: it submits jobs, all held, and deletes them. */
    @Test
    void aRealOpenPbsAnswersAsRecorded() throws Exception {
        Map<String, String> environment = System.getenv();
        Run version = Run.of(environment, "sh", "-c", "qstat --version; qstat -B");
        assumeTrue(version.code() == 0 && version.out().contains("pbs_version = 23.06"),
                "there is no server of OpenPBS 23.06 that qstat asks");
        Privilege.requireRoot("to run as another user");
        boolean history = Run.of(environment, "qmgr", "-c", "print server")
                .expect(0)
                .out()
                .contains("job_history_enable = True");
        assertThat(answers(environment,
                List.of("setpriv", "--reuid=" + TransferRig.USER, "--regid=" + TransferRig.USER, "--clear-groups")))
                .isEqualTo(recorded(history));
    }

    private static String recorded(boolean history) throws IOException {
        String name = history ? "pbs-commands-history.txt" : "pbs-commands-default.txt";
        try (InputStream in = Objects.requireNonNull(PbsCommandsTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** Returns the answers, with each job's id replaced by its position in the order of submission. */
    private static String answers(Map<String, String> environment, List<String> as) throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            Path script = directory.resolve("commands.sh");
            TransferRig.install("pbs-commands.sh", script);
            Path work = directory.directory("work");
            for (Path open : List.of(directory.path(), work)) {
                Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
            }
            String line = "cd '" + work + "' && exec " + String.join(" ", as) + " sh '" + script + "'";
            String answers = Run.of(environment, "sh", "-c", line).out();
            List<MatchResult> submitted = SUBMITTED.matcher(answers).results().toList();
            for (int i = 0; i < submitted.size(); i++) {
                answers = answers.replaceAll("(?<![0-9])" + submitted.get(i).group(1) + "(?=[\\[.])", "#" + (i + 1))
                        .replace("." + submitted.get(i).group(2), ".host");
            }
            return answers;
        }
    }
}
