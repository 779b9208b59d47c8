// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.data;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;

import org.junit.jupiter.api.Test;

class DataHashTest {

    private static final int LARGEST = 300_000;

    private final MemorySegment data = Arena.ofAuto().allocate(LARGEST);

    @Test
    void aHashIsPrintedAsByXxhsumWithAndWithoutTheLibraryOfTheMachine() {
        MemorySegment.copy("treehaul".getBytes(StandardCharsets.US_ASCII), 0, data, ValueLayout.JAVA_BYTE, 0, 8);
        for (DataHash hash : new DataHash[]{DataHash.xxh3(), DataHash.javaXxh3()}) {
            // XXH3-128 of no bytes, xxhsum -H2 /dev/null.
            assertThat(HexFormat.of().formatHex(hash.finishAsPrinted())).isEqualTo("99aa06d3014798d86001c324468d497f");
            hash.update(data.asSlice(0, 8));
            byte[] printed = hash.finishAsPrinted();
            hash.update(data.asSlice(0, 8));
            byte[] stored = hash.finish();
            for (int i = 0; i < stored.length; i++) {
                assertThat(printed[i]).isEqualTo(stored[stored.length - 1 - i]);
            }
        }
    }

    @Test
    void bothWaysToComputeTheHashFindTheSameForAFileAndForItsParts() {
        byte[] bytes = new byte[LARGEST];
        new Random(3).nextBytes(bytes);
        MemorySegment.copy(bytes, 0, data, ValueLayout.JAVA_BYTE, 0, LARGEST);
        DataHash one = DataHash.xxh3();
        DataHash other = DataHash.javaXxh3();
        for (int length : new int[]{0, 1, 240, 241, 5000, 65_536, 65_537, LARGEST}) {
            MemorySegment part = data.asSlice(LARGEST - length, length);
            byte[] whole = one.ofWhole(part);
            assertThat(whole).as("%d bytes", length).isEqualTo(other.ofWhole(part));
            for (DataHash hash : new DataHash[]{one, other}) {
                hash.update(data.asSlice(0, 10));
                hash.reset();
                hash.update(part.asSlice(0, length / 3));
                hash.update(part.asSlice(length / 3));
                assertThat(hash.finish()).as("%d bytes", length).isEqualTo(whole);
            }
        }
    }
}
