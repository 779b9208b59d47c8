// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.time;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.SystemCallException;

/**
 * Saves and restores the modification time of a directory in which the program makes or removes files that do not
 * concern the user. Not safe for several threads.
 */
public final class KeptTime implements AutoCloseable {

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
     * Reads the time of a directory.
     *
     * @param directory its descriptor; one opened with O_PATH suffices
     */
    public static KeptTime of(FileAccess access, int directory) throws SystemCallException {
        return new KeptTime(access, directory, access.status(directory));
    }

    /**
     * Restores the directory's time. A process that does not own the directory cannot; then the new time stays. Changes
     * that another process makes between reading and restoring leave no trace in the time.
     */
    public void restore() {
        MemorySegment times = arena.allocate(32, 8);
        // A buffer: to write numbers into a segment makes the JVM generate classes at each start.
        times.asByteBuffer()
                .order(ByteOrder.nativeOrder())
                .putLong(8, LinuxConstants.UTIME_OMIT)
                .putLong(16, before.mtimeSeconds())
                .putLong(24, before.mtimeNanos());
        // Through /proc, because futimens refuses a descriptor opened with O_PATH.
        access.calls().utimensat(LinuxConstants.AT_FDCWD, access.procPath(directory), times, 0);
    }

    @Override
    public void close() {
        arena.close();
    }
}
