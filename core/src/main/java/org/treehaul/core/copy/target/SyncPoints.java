// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_TMPFILE;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * The file systems that were copied to, each with a descriptor that was opened before the first write: since Linux 5.8,
 * syncfs(2) reports through it every write-back error since then. Safe for any number of threads.
 */
public final class SyncPoints implements AutoCloseable {

    private static final int PRIVATE = 0600;

    private final FileSystemCalls calls;
    private final Map<Long, Integer> descriptors = new ConcurrentHashMap<>();

    public SyncPoints(FileSystemCalls calls) {
        this.calls = calls;
    }

    /** Registers a directory before anything is copied into it. */
    public void entered(long device, int directory) throws SystemCallException {
        if (descriptors.containsKey(device)) {
            return;
        }
        int descriptor = calls.openat(directory, FileAccess.DOT, O_DIRECTORY | O_NONBLOCK, 0);
        if (descriptor == -Errno.EACCES) {
            // A directory that may be written to, but not read; a file without a name is on the same file system.
            int unnamed = calls.openat(directory, FileAccess.DOT, O_TMPFILE | O_WRONLY, PRIVATE);
            descriptor = unnamed < 0 ? descriptor : unnamed;
        }
        FileAccess.check("open", descriptor);
        if (descriptors.putIfAbsent(device, descriptor) != null) {
            calls.close(descriptor);
        }
    }

    /** Syncs all file systems. */
    public void sync() throws SystemCallException {
        SystemCallException first = null;
        for (int descriptor : descriptors.values()) {
            try {
                FileAccess.check("syncfs", calls.syncfs(descriptor));
            } catch (SystemCallException e) {
                first = first == null ? e : first;
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public void close() {
        descriptors.values().forEach(calls::close);
        descriptors.clear();
    }
}
