// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.packaged.Run;

/** A plan that is written to a disk without room for it. */
@Tag("rig")
class PlanOnFullDiskTest {

    @Test
    void itIsNamedAndNotTakenForAPlan() throws Exception {
        try (TestDirectory directory = TestDirectory.onTmpfs(); Mount small = Mount.tmpfs("size=64k")) {
            Path source = directory.directory("source");
            try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
                for (int i = 0; i < 3000; i++) {
                    writer.file(ByteString.of("a-name-of-some-length-" + i), 0, 0);
                }
            }
            Path plan = small.resolve("plan");
            Run run = Run.treehaul("plan", "-a", "-o", plan, source, directory.resolve("target")).expect(2);
            assertThat(run.err()).contains("cannot write the plan's file", "No space left on device",
                    "fix this and plan again");
            assertThat(plan.resolve("sealed")).doesNotExist();
            assertThat(plan.resolve("spool")).doesNotExist();
            // With more room, planning succeeds in the same place.
            small.remount("size=8m");
            Run.treehaul("plan", "-a", "-o", plan, source, directory.resolve("target")).expect(0);
            assertThat(plan.resolve("sealed")).exists();
        }
    }
}
