// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Removes single entries below a root, by descriptor and without following links. It examines each entry directly
 * before, and removes only the one that was listed. Not safe for several threads.
 */
final class Remover implements AutoCloseable {

    private static final int DESCRIPTORS = 64;

    // Permission of the owner to write and to search.
    private static final int CHANGEABLE = 0300;

    /** The result for an entry. */
    enum Outcome {
        /** The entry is gone. */
        REMOVED,
        /** It was gone before. */
        ABSENT
    }

    private final FileAccess access;
    private final ByteString root;
    // Null until an entry below the root is removed: a root that is removed itself may be no directory.
    private @Nullable Descent descent;

    Remover(FileSystemCalls calls, ByteString root) {
        this.access = FileAccess.open(calls);
        this.root = root;
    }

    /**
     * Removes an entry, which may be the root.
     *
     * @throws SystemCallException ESTALE if it is not the one that was listed
     */
    Outcome remove(Found listed) throws SystemCallException {
        try {
            if (listed.path().isRoot()) {
                try (LongPath path = LongPath.of(access, UserPath.stripSlashes(root))) {
                    remove(listed, path.base(), access.rootName(path.rest()));
                }
            } else {
                removeBelow(listed);
            }
            return Outcome.REMOVED;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return Outcome.ABSENT;
            }
            throw e;
        }
    }

    private void removeBelow(Found listed) throws SystemCallException {
        if (descent == null) {
            descent = Descent.open(access, root, DESCRIPTORS);
        }
        Directory parent = descent.directory(listed.path().parent());
        int descriptor = parent.acquire(access);
        try {
            MemorySegment name = access.rootName(listed.path().nameBytes());
            try {
                remove(listed, descriptor, name);
            } catch (SystemCallException e) {
                if (e.errno() != Errno.EACCES) {
                    throw e;
                }
                removeFromShut(listed, descriptor, name, e);
            }
        } finally {
            parent.release();
        }
    }

    // A mode such as 0555 denies the owner of a directory the removal of what it contains. The directory may stay.
    private void removeFromShut(Found listed, int directory, MemorySegment name, SystemCallException refused)
            throws SystemCallException {
        int mode = access.status(directory).permissions();
        // Only its owner can do that.
        if ((mode & CHANGEABLE) == CHANGEABLE || access.calls().fchmod(directory, mode | CHANGEABLE) != 0) {
            throw refused;
        }
        try {
            remove(listed, directory, name);
        } finally {
            FileAccess.check("fchmod", access.calls().fchmod(directory, mode));
        }
    }

    private void remove(Found listed, int directory, MemorySegment name) throws SystemCallException {
        if (!isSame(listed, access.status(directory, name))) {
            throw new SystemCallException("remove", Errno.ESTALE);
        }
        boolean isDirectory = listed.kind() == EntryKind.DIRECTORY;
        FileAccess.check(isDirectory ? "rmdir" : "unlink",
                access.calls().unlinkat(directory, name, isDirectory ? AT_REMOVEDIR : 0));
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
        if (descent != null) {
            descent.close();
        }
        access.close();
    }
}
