// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.entry.FileStatus;

/**
 * The time of a directory in which something is made or removed that is none of the user's business: it can be given
 * back. Used by one thread.
 */
public final class KeptTime implements AutoCloseable {

    private static final long UTIME_OMIT = (1L << 30) - 2;

    private final FileAccess access;
    private final int directory;
    private final FileStatus before;
    private final Arena arena = Arena.ofConfined();

    private KeptTime(FileAccess access, int directory, FileStatus before) {
        this.access = access;
        this.directory = directory;
        this.before = before;
    }

    /**
     * Looks what time a directory has.
     *
     * @param directory its descriptor; one that was opened with O_PATH will do
     */
    public static KeptTime of(FileAccess access, int directory) throws SystemCallException {
        return new KeptTime(access, directory, access.status(directory));
    }

    /**
     * Gives the directory its time back. Who does not own it cannot; then it keeps the new one. What somebody else does
     * there between the look and this is not seen in its time.
     */
    public void restore() {
        MemorySegment times = arena.allocate(32, 8);
        times.setAtIndex(ValueLayout.JAVA_LONG, 1, UTIME_OMIT);
        times.setAtIndex(ValueLayout.JAVA_LONG, 2, before.mtimeSeconds());
        times.setAtIndex(ValueLayout.JAVA_LONG, 3, before.mtimeNanos());
        // By /proc: futimens refuses a descriptor that was opened with O_PATH.
        access.calls().utimensat(LinuxConstants.AT_FDCWD, access.procPath(directory), times, 0);
    }

    @Override
    public void close() {
        arena.close();
    }
}
