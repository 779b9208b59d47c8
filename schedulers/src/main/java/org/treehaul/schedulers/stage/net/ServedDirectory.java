// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_RDWR;

import java.nio.charset.StandardCharsets;
import java.util.UUID;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;

/**
 * The directory of a server, locked so that no second server serves it: the two would not know of each other which
 * requests run. Thread-safe.
 */
public final class ServedDirectory implements AutoCloseable {

    private static final String LOCK = "serve.lock";

    private final FileSystemCalls calls;
    private final int lock;
    private final UUID id;
    private final Segments segments;

    private ServedDirectory(FileSystemCalls calls, int lock, UUID id, Segments segments) {
        this.calls = calls;
        this.lock = lock;
        this.id = id;
        this.segments = segments;
    }

    /**
     * Opens a directory, and makes it if it does not exist.
     *
     * @param path an absolute path, whose parent exists
     * @param host the name of this host
     * @throws StageException if another process serves it, or it is not empty and not that of a server, or is open to
     *         other users
     */
    public static ServedDirectory open(FileSystemCalls calls, ByteString path, String host) throws StageException {
        UUID id = LocalSegments.make(calls, path);
        int lock = lock(calls, path);
        try {
            Segments segments = LocalSegments.open(calls, new StageServer("", "local", host, id, path, ""));
            return new ServedDirectory(calls, lock, id, segments);
        } catch (StageException e) {
            calls.close(lock);
            throw e;
        }
    }

    private static int lock(FileSystemCalls calls, ByteString path) throws StageException {
        try (FileAccess access = FileAccess.open(calls)) {
            int directory = access.open(AT_FDCWD, access.name(path.toBytes()), O_DIRECTORY | O_NOFOLLOW, 0);
            try {
                int lock = access.open(directory, access.name(LOCK.getBytes(StandardCharsets.US_ASCII)),
                        O_RDWR | O_CREAT | O_NOFOLLOW, 0600);
                int locked = calls.ofdLock(lock, F_WRLCK);
                // Some network file systems have no locks; a directory of a node is rarely there.
                if (locked == -Errno.EAGAIN || locked == -Errno.EACCES) {
                    access.closeQuietly(lock);
                    throw new SystemCallException("another process serves this directory", Errno.EBUSY);
                }
                return lock;
            } finally {
                access.closeQuietly(directory);
            }
        } catch (SystemCallException e) {
            throw new StageException(path.toString(), e.operation(), e.errno(), e);
        }
    }

    /** Returns the id of the directory. */
    public UUID id() {
        return id;
    }

    /** Returns its segments. */
    public Segments segments() {
        return segments;
    }

    /** Closes the directory and gives up the lock. Close the server first. */
    @Override
    public void close() {
        segments.close();
        calls.close(lock);
    }
}
