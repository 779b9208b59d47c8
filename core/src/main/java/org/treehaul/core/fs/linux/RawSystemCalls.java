// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.treehaul.core.fs.linux.Downcalls.SCRATCH;
import static org.treehaul.core.fs.linux.Downcalls.address;
import static org.treehaul.core.fs.linux.Downcalls.kept;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.fs.LinuxConstants;

/**
 * Makes system calls by number through syscall(2), for those that a C library may not wrap: no library wraps openat2,
 * nor glibc 2.41 listxattrat; glibc has getdents64 since 2.30, statx and renameat2 since 2.28, copy_file_range since
 * 2.27, and musl has them since even later.
 *
 * <p>
 * The numbers are those of asm/unistd_64.h (x86-64) and of asm-generic/unistd.h (aarch64). Like syscall(), every call
 * here returns 64 bits.
 */
final class RawSystemCalls {

    private static final boolean IS_AARCH64 = System.getProperty("os.arch").equals("aarch64");

    private static final long GETDENTS64 = IS_AARCH64 ? 61 : 217;
    private static final long RENAMEAT2 = IS_AARCH64 ? 276 : 316;
    private static final long COPY_FILE_RANGE = IS_AARCH64 ? 285 : 326;
    private static final long STATX = IS_AARCH64 ? 291 : 332;
    private static final long OPENAT2 = 437; // the same on all architectures from 424 on
    private static final long LISTXATTRAT = 465;

    private static final long OPEN_HOW_BYTES = 24; // struct open_how of linux/openat2.h: flags, mode, resolve

    private static final MemorySegment SYSCALL = Symbols.function("syscall");

    private RawSystemCalls() {}

    static int getdents64(int descriptor, MemorySegment buffer) {
        long result = Downcalls.callLong(SYSCALL, GETDENTS64, descriptor, address(buffer), buffer.byteSize(), 0);
        return (int) kept(result, buffer);
    }

    static int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment into) {
        long result = Downcalls.callLong(SYSCALL, STATX, directory, address(name), flags, mask, address(into));
        return (int) kept(kept(result, name), into);
    }

    static int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        long result = Downcalls.callLong(SYSCALL, RENAMEAT2, oldDirectory, address(oldName), newDirectory,
                address(newName), flags);
        return (int) kept(kept(result, oldName), newName);
    }

    static long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        long result = Downcalls.callLong(SYSCALL, COPY_FILE_RANGE, source, address(sourceOffset), destination,
                address(destinationOffset), length, 0);
        return kept(kept(result, sourceOffset), destinationOffset);
    }

    static long listxattrat(int directory, MemorySegment name, MemorySegment list) {
        long result = Downcalls.callLongAgain(SYSCALL, LISTXATTRAT, directory, address(name),
                LinuxConstants.AT_SYMLINK_NOFOLLOW, address(list), list.byteSize());
        return kept(kept(result, name), list);
    }

    static int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        MemorySegment state = Downcalls.state();
        state.set(JAVA_LONG, SCRATCH, Integer.toUnsignedLong(flags));
        state.set(JAVA_LONG, SCRATCH + 8, Integer.toUnsignedLong(mode));
        state.set(JAVA_LONG, SCRATCH + 16, resolve);
        long result = Downcalls.callLong(SYSCALL, OPENAT2, directory, address(name), state.address() + SCRATCH,
                OPEN_HOW_BYTES);
        return (int) kept(kept(result, name), state);
    }
}
