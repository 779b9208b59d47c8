// SPDX-License-Identifier: Apache-2.0
package org.treehaul.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.packaged.Run;
import org.treehaul.schedulers.pbs.PbsDialect;

/** The job script of PBS of the page about a stage on four nodes, whose hosts have names of their own. */
@Tag("rig")
class PbsStagePageTest {

    private static final String EXPORT = "\nexport PATH=";

    private final TestDirectory directory = TestDirectory.make();

    @AfterEach
    void delete() {
        directory.close();
    }

    @Test
    void theScriptOfThePagePrintsWhatThatOfSlurmPrints() throws Exception {
        StagePage page = new StagePage();
        StagePage.prepare(directory);
        String script = page.script("## In a job of PBS");
        int line = script.indexOf(EXPORT);
        assertThat(line).isPositive();
        Files.writeString(directory.resolve("run7.sh"),
                script.substring(0, line) + "\nexport TREEHAUL_PROGRESS=never PATH=" + directory.resolve("bin")
                        + ":$PATH TREEHAUL_SPACE=" + directory.resolve("space") + " TREEHAUL_JAR="
                        + Run.JAR.toRealPath() + script.substring(script.indexOf('\n', line + 1)));
        Path output = directory.resolve("output");
        StringBuilder hosts = new StringBuilder(Files.readString(Path.of("/etc/hosts"))).append("\n127.0.0.1");
        for (int i = 0; i < 4; i++) {
            hosts.append(" node").append(i);
        }
        Path known = Files.writeString(directory.resolve("hosts"), hosts.append('\n'));
        try (PbsRig rig = PbsRig.knowing(PbsDialect.OPENPBS, known, Path.of("/srv"))) {
            Run.of(rig.environment(), "sh", "-c", "cd \"$0\" && qsub -o output run7.sh", directory.path()).expect(0);
            // The server writes it when the job has ended.
            await().atMost(Duration.ofMinutes(10)).until(() -> Files.exists(output) && Files.size(output) > 0);
        }
        assertThat(Files.readString(output)).isEqualTo(asPbs(page.printed()));
        StagePage.assertCollected(directory);
    }

    // The rig numbers its nodes from 0.
    private static String asPbs(String printed) {
        String text = printed;
        for (int i = 0; i < 4; i++) {
            text = text.replace("node" + (i + 1), "node" + i);
        }
        return text;
    }
}
