// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * Reaches directories below a root by descriptor, without following links. Most paths are in the directory of the one
 * before, which stays open. Used by one thread.
 */
final class Descent implements AutoCloseable {

    private final DirectoryPool pool;
    private final Directory top;
    private Directory current;

    private Descent(DirectoryPool pool, Directory top) {
        this.pool = pool;
        this.top = top;
        this.current = top;
    }

    /**
     * Opens the root.
     *
     * @param descriptors the number of directories to keep open
     */
    static Descent open(FileAccess access, ByteString root, int descriptors) throws SystemCallException {
        try (LongPath path = LongPath.of(access, root)) {
            int descriptor = access.open(path.base(), access.otherName(path.rest()), O_DIRECTORY | O_NONBLOCK, 0);
            DirectoryPool pool = DirectoryPool.withinLimit(access.calls(), descriptors);
            return new Descent(pool, pool.root(descriptor, root));
        }
    }

    /** Returns a directory, which may not exist. */
    Directory directory(TreePath path) {
        while (!path.startsWith(current.path())) {
            Directory done = current;
            current = current.parent().orElse(top);
            done.retire();
        }
        for (ByteString name : path.names().subList(current.path().depth(), path.depth())) {
            current = current.child(current.path().child(name.toBytes()));
        }
        return current;
    }

    @Override
    public void close() {
        pool.closeRoot(top);
        pool.close();
    }
}
