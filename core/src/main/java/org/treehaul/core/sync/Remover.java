// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * Removes single entries below a root, by descriptor and without following links. It examines each entry directly
 * before, and removes only the one that was listed. Not safe for several threads.
 */
final class Remover implements AutoCloseable {

    private static final int DESCRIPTORS = 64;

    /** The result for an entry. */
    enum Outcome {
        /** The entry is gone. */
        REMOVED,
        /** It was gone before. */
        ABSENT
    }

    private final FileAccess access;
    private final Descent descent;

    private Remover(FileAccess access, Descent descent) {
        this.access = access;
        this.descent = descent;
    }

    /** Opens the root. */
    static Remover open(FileSystemCalls calls, ByteString root) throws SystemCallException {
        FileAccess access = FileAccess.open(calls);
        try {
            return new Remover(access, Descent.open(access, root, DESCRIPTORS));
        } catch (SystemCallException e) {
            access.close();
            throw e;
        }
    }

    /**
     * Removes an entry.
     *
     * @throws SystemCallException ESTALE if it is not the one that was listed
     */
    Outcome remove(Found listed) throws SystemCallException {
        try {
            Directory parent = descent.directory(listed.path().parent());
            int descriptor = parent.acquire(access);
            try {
                MemorySegment name = access.rootName(listed.path().nameBytes());
                FileStatus status = access.status(descriptor, name);
                if (!isSame(listed, status)) {
                    throw new SystemCallException("remove", Errno.ESTALE);
                }
                boolean isDirectory = listed.kind() == EntryKind.DIRECTORY;
                FileAccess.check(isDirectory ? "rmdir" : "unlink",
                        access.calls().unlinkat(descriptor, name, isDirectory ? AT_REMOVEDIR : 0));
                return Outcome.REMOVED;
            } finally {
                parent.release();
            }
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return Outcome.ABSENT;
            }
            throw e;
        }
    }

    // The times and size of a directory changed when its content was removed.
    private static boolean isSame(Found listed, FileStatus status) {
        return EntryKind.isKnown(status.mode()) && status.kind() == listed.kind()
                && (listed.kind() == EntryKind.DIRECTORY
                        ? listed.target().inode() == status.inode()
                        : listed.target().isOf(status));
    }

    /** Returns the kind of failure that an exception of {@link #remove} is. */
    static EntryFailure failure(ByteString root, TreePath path, SystemCallException e) {
        EntryFailure failure = EntryFailure.of(root, path, e);
        return e.errno() == Errno.ESTALE ? failure.as(EntryFailure.Kind.CHANGED) : failure;
    }

    @Override
    public void close() {
        descent.close();
        access.close();
    }
}
