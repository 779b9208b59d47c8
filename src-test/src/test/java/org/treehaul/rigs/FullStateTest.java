// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.treehaul.packaged.Run;

/** A state directory without room for what jobs need. */
class FullStateTest {

    @Test
    void nothingIsPlannedOrSubmittedAndTheCauseIsTold() throws Exception {
        try (Mount mount = Mount.tmpfs("size=2m,mode=700")) {
            Path source = Files.createDirectory(mount.resolve("source"));
            Path copy = mount.resolve("copy");
            Run run = Run
                    .treehaul("cp", "-a", "--scheduler", "local", "--state-dir", mount.resolve("state"), source, copy)
                    .expect(2);
            assertThat(run.err()).contains("the state directory " + mount.resolve("state") + " fails: ",
                    "No space left on device");
            assertThat(run.out()).isEmpty();
            assertThat(copy).doesNotExist();
            assertThat(mount.resolve("state/transfers")).doesNotExist();
        }
    }
}
