// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.util.function.Predicate;

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
    private final Predicate<TreePath> getsMode;
    private TreePath path = TreePath.root();
    private int descriptor = NONE;

    private OutDirectories(FileAccess access, int root, Predicate<TreePath> getsMode) {
        this.access = access;
        this.root = root;
        this.getsMode = getsMode;
    }

    /**
     * Opens the destination; makes it if it is absent.
     *
     * @param destination the path as the user gave it, whose parent exists
     * @param getsMode whether a directory gets its mode at the end: if an earlier run has closed it so to this user, it
     *        is opened to this user until then. Any other directory is the user's, who may have closed it
     */
    static OutDirectories make(FileAccess access, ByteString destination, Predicate<TreePath> getsMode)
            throws SystemCallException {
        int made = access.calls().mkdirat(AT_FDCWD, access.name(destination.toBytes()), PRIVATE);
        if (made < 0 && made != -Errno.EEXIST) {
            throw new SystemCallException("mkdir", -made);
        }
        int root = open(access, destination);
        if (root == -Errno.EACCES && getsMode.test(TreePath.root())) {
            unlock(access, AT_FDCWD, destination, 0);
            root = open(access, destination);
        }
        return new OutDirectories(access, FileAccess.check("open", root), getsMode);
    }

    /** Opens a directory that exists, the path as the user gave it. */
    static OutDirectories existing(FileAccess access, ByteString directory) throws SystemCallException {
        return new OutDirectories(access, FileAccess.check("open", open(access, directory)), path -> false);
    }

    // The user's own path: a symbolic link in it is followed.
    private static int open(FileAccess access, ByteString path) throws SystemCallException {
        return access.tryOpen(AT_FDCWD, access.name(path.toBytes()), O_DIRECTORY | O_NONBLOCK, 0);
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
        TreePath above = TreePath.root();
        for (ByteString name : directory.names()) {
            int next;
            try {
                next = enter(at, above, name);
                above = above.child(name.toBytes());
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

    private int enter(int at, TreePath above, ByteString name) throws SystemCallException {
        try {
            return enter(at, name);
        } catch (SystemCallException e) {
            if (e.errno() != Errno.EACCES) {
                throw e;
            }
        }
        unlock(at, above);
        if (getsMode.test(above.child(name.toBytes()))) {
            unlock(access, at, name, O_NOFOLLOW);
        }
        return enter(at, name);
    }

    // If this fails, so does what needs it, once more, with an error that says why.
    private static void unlock(FileAccess access, int at, ByteString name, int flags) throws SystemCallException {
        int found = access.tryOpen(at, access.name(name.toBytes()), O_PATH | O_DIRECTORY | flags, 0);
        if (found >= 0) {
            try {
                int _ = access.calls()
                        .fchmodat(AT_FDCWD, access.procPath(found), access.status(found).permissions() | PRIVATE);
            } finally {
                access.closeQuietly(found);
            }
        }
    }

    private void unlock(int descriptor, TreePath directory) throws SystemCallException {
        if (getsMode.test(directory)) {
            int _ = access.calls().fchmod(descriptor, access.status(descriptor).permissions() | PRIVATE);
        }
    }

    /**
     * Opens the directory that was asked for last to this user, if it gets its mode at the end.
     *
     * @return whether it gets one
     */
    boolean unlock(TreePath directory) throws SystemCallException {
        unlock(open(directory), directory);
        return getsMode.test(directory);
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
