// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.time.StoredTimes;

/** An entry that may be a copy has the kind, the size and, for files, the time of the source. */
class CopiedVersionTest {

    private static boolean mayBeCopy(EntryKind kind, long size, int copyMode, long copySize, long copySeconds) {
        FileStatus copy = new FileStatus(copyMode, 0, 0, 1, 5, 1, 0, copySize, 8, 0, 0, copySeconds, 5, 9, 9, false, 0,
                0);
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return new CopiedVersion(kind, size, new Timestamp(1_001, 5)).mayBeIn(copy, new StoredTimes(access),
                    LinuxConstants.AT_FDCWD, FileAccess.emptyName());
        }
    }

    @Test
    void kindSizeAndTimeAreThoseOfTheSource() {
        assertThat(mayBeCopy(EntryKind.REGULAR, 100, 0100644, 100, 1_001)).isTrue();
        assertThat(mayBeCopy(EntryKind.REGULAR, 100, 0100644, 100, 1_002)).isFalse();
        assertThat(mayBeCopy(EntryKind.REGULAR, 101, 0100644, 100, 1_001)).isFalse();
        assertThat(mayBeCopy(EntryKind.FIFO, 100, 0100644, 100, 1_001)).isFalse();
        assertThat(mayBeCopy(EntryKind.FIFO, 0, 0010644, 0, 7)).isTrue();
        assertThat(mayBeCopy(EntryKind.SYMLINK, 100, 0120777, 100, 7)).isTrue();
        assertThat(mayBeCopy(EntryKind.SYMLINK, 100, 0120777, 101, 7)).isFalse();
    }
}
