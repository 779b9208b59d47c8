// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * An entry of any kind opened with O_PATH, which needs no permission of its own and touches neither device nor FIFO,
 * for work that has only the calls and no {@link FileAccess}. Used by one thread.
 */
@Internal
public final class OpenNode implements AutoCloseable {

    private final FileSystemCalls calls;
    private final int descriptor;
    private final Arena arena = Arena.ofConfined();

    private OpenNode(FileSystemCalls calls, int descriptor) {
        this.calls = calls;
        this.descriptor = descriptor;
    }

    /**
     * Opens an entry.
     *
     * @param follow whether a symbolic link is followed; otherwise the link itself is opened
     */
    public static OpenNode open(FileSystemCalls calls, int directory, MemorySegment name, boolean follow)
            throws SystemCallException {
        return new OpenNode(calls,
                FileAccess.check("open", calls.openat(directory, name, O_PATH | (follow ? 0 : O_NOFOLLOW), 0)));
    }

    /** Returns the descriptor, which accepts only calls that are possible with O_PATH. */
    public int descriptor() {
        return descriptor;
    }

    /** Returns the calls with which the entry was opened. */
    public FileSystemCalls calls() {
        return calls;
    }

    /** Reads the status. */
    public FileStatus status() throws SystemCallException {
        return FileAccess.status(calls, descriptor, arena);
    }

    /** Returns the path that leads to exactly this entry, for calls that accept no descriptor of this kind. */
    public MemorySegment path() {
        return arena.allocateFrom("/proc/self/fd/" + descriptor, StandardCharsets.US_ASCII);
    }

    @Override
    public void close() {
        // Nothing was written through it, so no error can matter.
        calls.close(descriptor);
        arena.close();
    }
}
