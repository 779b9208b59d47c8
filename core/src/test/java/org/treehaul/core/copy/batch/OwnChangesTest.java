// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.FileStatus;

class OwnChangesTest {

    private static final FileStatus PLANNED = status(1, 5, 100, 7, 1);

    private final OwnChanges changes = new OwnChanges();

    private static FileStatus status(long device, long inode, long size, long mtime, long ctime) {
        return new FileStatus(0100644, 0, 0, 2, inode, device, 0, size, 8, 0, 0, mtime, 0, ctime, 0, false, 0, 0);
    }

    private boolean isUnchanged(FileStatus now) {
        return changes.isUnchanged(SourceIdentity.of(PLANNED), now);
    }

    @Test
    void aRecordedChangeIsAcceptedAndEveryOtherIsNot() {
        assertThat(isUnchanged(PLANNED)).isTrue();
        assertThat(isUnchanged(status(1, 5, 100, 7, 2))).isFalse();
        changes.record(PLANNED, status(1, 5, 100, 7, 2));
        assertThat(isUnchanged(status(1, 5, 100, 7, 2))).isTrue();
        assertThat(isUnchanged(status(1, 5, 100, 7, 3))).isFalse();
        assertThat(isUnchanged(status(1, 5, 100, 8, 2))).isFalse();
        assertThat(isUnchanged(status(1, 5, 101, 7, 2))).isFalse();
        assertThat(isUnchanged(status(1, 6, 100, 7, 2))).isFalse();
    }

    @Test
    void changesOneAfterTheOtherAreFollowedOnAnyNode() {
        changes.record(PLANNED, status(1, 5, 100, 7, 2));
        changes.record(status(1, 5, 100, 7, 2), status(1, 5, 100, 7, 3));
        assertThat(changes.isUnchanged(SourceIdentity.of(status(9, 5, 100, 7, 1)), status(1, 5, 100, 7, 3))).isTrue();
        assertThat(isUnchanged(status(1, 5, 100, 7, 4))).isFalse();
    }

    @Test
    void aChangeOfTheDataIsNotRecorded() {
        changes.record(PLANNED, status(1, 5, 100, 8, 2));
        changes.record(PLANNED, status(1, 5, 101, 7, 2));
        changes.record(PLANNED, status(1, 6, 100, 7, 2));
        assertThat(isUnchanged(status(1, 5, 100, 8, 2))).isFalse();
        assertThat(isUnchanged(status(1, 5, 101, 7, 2))).isFalse();
        assertThat(isUnchanged(status(1, 6, 100, 7, 2))).isFalse();
    }

    @Test
    void aClockThatWasSetBackMakesNoEndlessSearch() {
        changes.record(PLANNED, status(1, 5, 100, 7, 2));
        changes.record(status(1, 5, 100, 7, 2), PLANNED);
        assertThat(isUnchanged(status(1, 5, 100, 7, 9))).isFalse();
        assertThat(isUnchanged(PLANNED)).isTrue();
    }
}
