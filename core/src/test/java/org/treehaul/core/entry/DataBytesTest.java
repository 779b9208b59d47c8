// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DataBytesTest {

    private static final int REGULAR = 0100644;
    private static final int SYMLINK = 0120777;
    private static final long GIB = 1L << 30;

    private final DataBytes data = new DataBytes();

    private static FileStatus status(int mode, long device, long size, long blocks) {
        return new FileStatus(mode, 0, 0, 1, 1, device, 0, size, blocks, 0, 0, 0, 0, 0, 0, false, 0, 0);
    }

    private long of(int mode, long device, long size, long blocks) {
        return data.of(status(mode, device, size, blocks));
    }

    @Test
    void blocksShowTheDataOfSparseFiles() {
        assertThat(of(REGULAR, 1, GIB, 24)).isEqualTo(24 * 512);
        // Rounded up, or reserved beyond the end.
        assertThat(of(REGULAR, 1, 5, 8)).isEqualTo(5);
        assertThat(of(REGULAR, 1, 4097, 16)).isEqualTo(4097);
        assertThat(of(REGULAR, 1, GIB, GIB / 512)).isEqualTo(GIB);
        assertThat(of(REGULAR, 1, GIB, 8 * GIB)).isEqualTo(GIB);
        assertThat(of(REGULAR, 1, 0, 8)).isZero();
    }

    @Test
    void noBlocksAreHolesOnlyWhereOtherFilesHaveSome() {
        assertThat(of(REGULAR, 1, GIB, 0)).isEqualTo(GIB);
        data.saw(status(REGULAR, 1, GIB, 0));
        data.saw(status(SYMLINK, 1, 70, 8));
        assertThat(of(REGULAR, 1, GIB, 0)).isEqualTo(GIB);
        data.saw(status(REGULAR, 1, 5, 8));
        assertThat(of(REGULAR, 1, GIB, 0)).isZero();
        assertThat(of(REGULAR, 2, GIB, 0)).isEqualTo(GIB);
    }

    @Test
    void oneUnitAndNumbersThatCannotBeAreNotBelieved() {
        data.saw(status(REGULAR, 1, 5, 8));
        assertThat(of(REGULAR, 1, GIB, 1)).isEqualTo(GIB);
        assertThat(of(REGULAR, 1, GIB, -1)).isEqualTo(GIB);
        assertThat(of(REGULAR, 1, Long.MAX_VALUE, Long.MAX_VALUE)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void onlyRegularFilesHaveData() {
        assertThat(of(SYMLINK, 1, 70, 8)).isZero();
    }
}
