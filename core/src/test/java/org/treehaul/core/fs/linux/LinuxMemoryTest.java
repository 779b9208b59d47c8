// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LinuxMemoryTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 31, 33, 127, 4_095, 4_097, 131_072})
    void oneByteThatDiffersIsFoundWhereverItIs(int size) {
        try (Arena arena = Arena.ofConfined()) {
            // One of them begins within a word.
            MemorySegment a = arena.allocate(size + 3, 8).asSlice(3);
            MemorySegment b = arena.allocate(size, 8);
            for (int i = 0; i < size; i++) {
                a.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
            }
            b.copyFrom(a);
            assertThat(LinuxMemory.isEqual(a, b)).isTrue();
            for (int at : new int[]{0, size / 2, size - 1}) {
                byte kept = b.get(ValueLayout.JAVA_BYTE, at);
                // The first difference has either sign.
                for (int other : new int[]{kept + 1, kept - 1, kept ^ 0x80}) {
                    b.set(ValueLayout.JAVA_BYTE, at, (byte) other);
                    assertThat(LinuxMemory.isEqual(a, b)).as("byte %d", at).isFalse();
                    assertThat(LinuxMemory.isEqual(b, a)).as("byte %d", at).isFalse();
                }
                b.set(ValueLayout.JAVA_BYTE, at, kept);
            }
            assertThat(LinuxMemory.isEqual(a, b)).isTrue();
        }
    }

    @Test
    void emptySegmentsAreEqual() {
        try (Arena arena = Arena.ofConfined()) {
            assertThat(LinuxMemory.isEqual(arena.allocate(8).asSlice(8), arena.allocate(0))).isTrue();
        }
    }

    @Test
    void memoryThatCannotBeComparedIsRefused() {
        Arena arena = Arena.ofShared();
        MemorySegment closed = arena.allocate(8);
        arena.close();
        try (Arena open = Arena.ofConfined()) {
            MemorySegment eight = open.allocate(8);
            assertThatIllegalArgumentException().isThrownBy(() -> LinuxMemory.isEqual(eight, eight.asSlice(1)))
                    .withMessageContaining("8 and 7");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> LinuxMemory.isEqual(eight, MemorySegment.ofArray(new byte[8])))
                    .withMessageContaining("native");
            assertThatIllegalStateException().isThrownBy(() -> LinuxMemory.isEqual(closed, eight))
                    .withMessageContaining("closed");
        }
    }
}
