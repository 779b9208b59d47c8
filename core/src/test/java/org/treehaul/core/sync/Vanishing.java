// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.InterceptedCalls;
import org.treehaul.core.fs.linux.Linux;

/** Removes a file when its status is read. */
final class Vanishing extends InterceptedCalls {

    // Offsets in struct linux_dirent64 (getdents64(2)).
    private static final int RECORD_LENGTH = 16;
    private static final int TYPE = 18;

    private final Path file;
    private final boolean hidesKinds;

    /**
     * Makes the calls.
     *
     * @param hidesKinds whether listings have no kinds of entries, as on some file systems
     */
    Vanishing(Path file, boolean hidesKinds) {
        super(Linux.calls());
        this.file = file;
        this.hidesKinds = hidesKinds;
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        return made.getAsLong();
    }

    @Override
    @SuppressWarnings("restricted")
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        if (directory >= 0) {
            try {
                Path at = Files.readSymbolicLink(Path.of("/proc/self/fd/" + directory));
                if (at.resolve(name.reinterpret(Long.MAX_VALUE).getString(0)).equals(file)) {
                    Files.deleteIfExists(file);
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return calls.statx(directory, name, flags, mask, result);
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        int length = calls.getdents64(descriptor, buffer);
        for (int at = 0; hidesKinds && at < length;) {
            buffer.set(ValueLayout.JAVA_BYTE, at + TYPE, (byte) 0);
            at += Short.toUnsignedInt(buffer.get(ValueLayout.JAVA_SHORT_UNALIGNED, at + RECORD_LENGTH));
        }
        return length;
    }
}
