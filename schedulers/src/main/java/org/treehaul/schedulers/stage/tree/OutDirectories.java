// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * The directories below a destination, for one thread: opened name by name from the destination on and without
 * following symbolic links, so that no other user can redirect them. The directory that was asked for last stays open.
 */
final class OutDirectories implements AutoCloseable {

    private static final int NONE = -1;
    private static final int PRIVATE = 0700;

    private final FileAccess access;
    private final int root;
    private TreePath path = TreePath.root();
    private int descriptor = NONE;

    private OutDirectories(FileAccess access, int root) {
        this.access = access;
        this.root = root;
    }

    /**
     * Opens the destination; makes it if it is absent.
     *
     * @param destination the path as the user gave it, whose parent exists
     */
    static OutDirectories make(FileAccess access, ByteString destination) throws SystemCallException {
        int made = access.calls().mkdirat(AT_FDCWD, access.name(destination.toBytes()), PRIVATE);
        if (made < 0 && made != -Errno.EEXIST) {
            throw new SystemCallException("mkdir", -made);
        }
        return existing(access, destination);
    }

    /** Opens a directory that exists, the path as the user gave it. */
    static OutDirectories existing(FileAccess access, ByteString directory) throws SystemCallException {
        // The user's own path: a symbolic link in it is followed.
        return new OutDirectories(access,
                access.open(AT_FDCWD, access.name(directory.toBytes()), O_DIRECTORY | O_NONBLOCK, 0));
    }

    FileAccess access() {
        return access;
    }

    /** Returns the descriptor of a directory, which is made if it is absent; valid until the next call. */
    int open(TreePath directory) throws SystemCallException {
        if (directory.isRoot()) {
            return root;
        }
        if (descriptor != NONE && directory.equals(path)) {
            return descriptor;
        }
        release();
        int at = root;
        List<ByteString> names = directory.names();
        for (ByteString name : names) {
            int next;
            try {
                next = enter(at, name);
            } finally {
                if (at != root) {
                    access.closeQuietly(at);
                }
            }
            at = next;
        }
        descriptor = at;
        path = directory;
        return at;
    }

    private int enter(int at, ByteString name) throws SystemCallException {
        try {
            return access.openDirectory(at, access.name(name.toBytes()));
        } catch (SystemCallException e) {
            if (e.errno() != Errno.ENOENT) {
                throw e;
            }
        }
        int made = access.calls().mkdirat(at, access.name(name.toBytes()), PRIVATE);
        if (made < 0 && made != -Errno.EEXIST) {
            throw new SystemCallException("mkdir", -made);
        }
        return access.openDirectory(at, access.name(name.toBytes()));
    }

    private void release() {
        if (descriptor != NONE) {
            access.closeQuietly(descriptor);
            descriptor = NONE;
        }
    }

    @Override
    public void close() {
        release();
        access.closeQuietly(root);
    }
}
