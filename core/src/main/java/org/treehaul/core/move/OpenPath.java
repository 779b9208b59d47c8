// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * The directory of a source in which entries are removed, opened name by name from its root without following links. It
 * stays open while further entries are in the same directory. Not safe for several threads.
 */
@Internal
public final class OpenPath implements AutoCloseable {

    private final FileAccess access;
    private final DirectoryPool pool;
    private final List<Directory> chain = new ArrayList<>();
    private int root = -1;
    private boolean isHeld;

    public OpenPath(FileSystemCalls calls, FileAccess access) {
        this.access = access;
        this.pool = DirectoryPool.withinLimit(calls, DirectoryPool.LARGEST_BUDGET);
    }

    /**
     * Returns the descriptor of a directory, which is valid until the next call.
     *
     * @param number the position of the source
     * @param source the path of the source, which is a directory
     */
    public int open(int number, ByteString source, TreePath directory) throws SystemCallException {
        if (isHeld && number == root && chain.getLast().path().equals(directory)) {
            return chain.getLast().descriptor();
        }
        letGo();
        if (number != root) {
            leaveRoot();
            try (LongPath path = LongPath.of(access, source)) {
                chain.add(pool.root(access.openDirectory(path.base(), access.rootName(path.rest())), source));
            }
            root = number;
        }
        while (!directory.startsWith(chain.getLast().path())) {
            chain.removeLast().retire();
        }
        List<ByteString> names = directory.names();
        while (chain.size() <= names.size()) {
            Directory above = chain.getLast();
            chain.add(above.child(above.path().child(names.get(chain.size() - 1).toBytes())));
        }
        int descriptor = chain.getLast().acquire(access);
        isHeld = true;
        return descriptor;
    }

    private void letGo() {
        if (isHeld) {
            chain.getLast().release();
            isHeld = false;
        }
    }

    private void leaveRoot() {
        letGo();
        while (chain.size() > 1) {
            chain.removeLast().retire();
        }
        if (!chain.isEmpty()) {
            pool.closeRoot(chain.removeLast());
        }
        root = -1;
    }

    @Override
    public void close() {
        leaveRoot();
        pool.close();
    }
}
