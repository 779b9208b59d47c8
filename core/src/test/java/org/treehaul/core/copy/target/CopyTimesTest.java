// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/** An entry that may be a copy has the size and the time of the source, as far as its file system keeps times. */
class CopyTimesTest {

    private static FileStatus copy(int mode, long size, long seconds, int nanos) {
        return new FileStatus(mode, 0, 0, 1, 5, 1, 0, size, 8, 0, 0, seconds, nanos, 9, 9, false, 0, 0);
    }

    private static boolean mayBeCopy(long seconds, int nanos) {
        return ExistingTarget.mayBeCopy(copy(0100644, 100, seconds, nanos), EntryKind.REGULAR, 100, 1_001, 123_456_789);
    }

    @Test
    void aTimeMayBeRoundedDownToTheDigitsThatAreKept() {
        assertThat(mayBeCopy(1_001, 123_456_789)).isTrue();
        assertThat(mayBeCopy(1_001, 123_456_700)).isTrue();
        assertThat(mayBeCopy(1_001, 0)).isTrue();
        assertThat(mayBeCopy(1_001, 123_456_788)).isFalse();
        assertThat(mayBeCopy(1_001, 123_456_800)).isFalse();
    }

    @Test
    void aTimeMayBeRoundedDownToTwoSecondsAsOnFat() {
        assertThat(mayBeCopy(1_000, 0)).isTrue();
        assertThat(mayBeCopy(1_000, 123_456_789)).isFalse();
        assertThat(mayBeCopy(1_002, 0)).isFalse();
        assertThat(mayBeCopy(999, 0)).isFalse();
        assertThat(mayBeCopy(1_003, 123_456_789)).isFalse();
    }

    @Test
    void kindAndSizeAreThoseOfTheSource() {
        FileStatus copy = copy(0100644, 100, 1_001, 5);
        assertThat(ExistingTarget.mayBeCopy(copy, EntryKind.REGULAR, 101, 1_001, 5)).isFalse();
        assertThat(ExistingTarget.mayBeCopy(copy, EntryKind.FIFO, 100, 1_001, 5)).isFalse();
        assertThat(ExistingTarget.mayBeCopy(copy(0010644, 0, 7, 7), EntryKind.FIFO, 0, 1_001, 5)).isTrue();
        assertThat(ExistingTarget.mayBeCopy(copy(0120777, 100, 7, 7), EntryKind.SYMLINK, 100, 1_001, 5)).isTrue();
        assertThat(ExistingTarget.mayBeCopy(copy(0120777, 101, 7, 7), EntryKind.SYMLINK, 100, 1_001, 5)).isFalse();
    }
}
