// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.listing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.junit.jupiter.api.Test;

class DirectoryRecordsTest {

    private static final int AT = 24;

    @Test
    void aListingEndsBehindTheLargestPositionAlone() {
        assertThat(DirectoryRecords.isAtEnd(recordWithNextAt(Long.MAX_VALUE), AT)).isTrue();
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat(DirectoryRecords.isAtEnd(recordWithNextAt(Long.MAX_VALUE ^ 1L << bit), AT)).as("bit %d", bit)
                    .isFalse();
        }
        assertThat(DirectoryRecords.isAtEnd(recordWithNextAt(0), AT)).isFalse();
        assertThat(DirectoryRecords.isAtEnd(recordWithNextAt(Integer.MAX_VALUE), AT)).isFalse();
    }

    @Test
    void aListingOfTmpfsEndsBehindTheLargestPositionOf32BitsAlone() {
        assertThat(DirectoryRecords.isAtEndOfTmpfs(recordWithNextAt(Integer.MAX_VALUE), AT)).isTrue();
        for (int bit = 0; bit < Long.SIZE; bit++) {
            assertThat(DirectoryRecords.isAtEndOfTmpfs(recordWithNextAt(Integer.MAX_VALUE ^ 1L << bit), AT))
                    .as("bit %d", bit)
                    .isFalse();
        }
    }

    // d_off is the second number of struct linux_dirent64.
    private static byte[] recordWithNextAt(long position) {
        byte[] records = new byte[AT + 24];
        ByteBuffer.wrap(records).order(ByteOrder.LITTLE_ENDIAN).putLong(AT + 8, position);
        return records;
    }
}
