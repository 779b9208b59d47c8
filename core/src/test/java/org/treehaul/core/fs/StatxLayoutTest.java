// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

class StatxLayoutTest {

    // Values that no file system here returns: each field has a number that would reveal a wrong sign or offset.
    @Test
    void everyFieldIsReadFromItsPlaceAndUnsigned() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(LinuxConstants.STATX_SIZE, 8);
            s.set(ValueLayout.JAVA_INT, 0, LinuxConstants.STATX_BASIC_STATS | LinuxConstants.STATX_BTIME);
            s.set(ValueLayout.JAVA_INT, 16, -2);
            s.set(ValueLayout.JAVA_INT, 20, -3);
            s.set(ValueLayout.JAVA_INT, 24, -4);
            s.set(ValueLayout.JAVA_SHORT, 28, (short) 0xA1FF);
            s.set(ValueLayout.JAVA_LONG, 32, 0xFFFF_FFFF_FFFF_FFF0L);
            s.set(ValueLayout.JAVA_LONG, 40, 1L << 62);
            s.set(ValueLayout.JAVA_LONG, 48, 1L << 53);
            for (int i = 0; i < 4; i++) {
                s.set(ValueLayout.JAVA_LONG, 64 + 16L * i, -10L - i);
                s.set(ValueLayout.JAVA_INT, 72 + 16L * i, 100 + i);
            }
            s.set(ValueLayout.JAVA_INT, 128, 1);
            s.set(ValueLayout.JAVA_INT, 132, 3);
            s.set(ValueLayout.JAVA_INT, 136, 0xfffff);
            s.set(ValueLayout.JAVA_INT, 140, 0xfffff);
            FileStatus status = new StatxLayout().read(s);
            // The devices are makedev(0xfffff, 0xfffff) and makedev(1, 3).
            assertThat(status).isEqualTo(new FileStatus(0xA1FF, 0xFFFF_FFFDL, 0xFFFF_FFFCL, 0xFFFF_FFFEL, -16L,
                    0xff000ffffffffL, 0x103, 1L << 62, 1L << 53, -10, 100, -13, 103, -12, 102, true, -11, 101));
            assertThat(status.kind()).isEqualTo(EntryKind.SYMLINK);
            assertThat(Long.toUnsignedString(status.inode())).isEqualTo("18446744073709551600");
        }
    }

    @Test
    void birthTimeIsAbsentIfTheKernelDoesNotReturnIt() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment s = arena.allocate(LinuxConstants.STATX_SIZE, 8);
            s.set(ValueLayout.JAVA_INT, 0, LinuxConstants.STATX_BASIC_STATS);
            s.set(ValueLayout.JAVA_SHORT, 28, (short) 0x81a4);
            s.set(ValueLayout.JAVA_LONG, 80, 5);
            assertThat(new StatxLayout().read(s).btime()).isEmpty();
        }
    }
}
