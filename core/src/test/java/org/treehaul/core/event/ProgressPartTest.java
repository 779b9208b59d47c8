// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;

class ProgressPartTest {

    @Test
    void countsArriveInPortionsAndOnceAtTheEnd() {
        Progress progress = new Progress();
        ProgressPart part = new ProgressPart(progress);
        for (int i = 0; i < 1000; i++) {
            part.entryDone(EntryKind.REGULAR, 10);
            assertThat(progress.snapshot().entries()).isBetween(i + 1L - 63, i + 1L);
        }
        part.entryDone(EntryKind.DIRECTORY, 4096);
        part.entryDone(EntryKind.SYMLINK, 7);
        part.publish();
        part.publish();
        assertThat(progress.snapshot()).isEqualTo(new Progress.Snapshot(1002, 1000, 1, 10_000, 0, 0, 0));
    }
}
