// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.verify;

import java.util.List;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.plan.format.PlannedRoot;

/**
 * Sources whose copies are merged into one directory: a directory that exists in several of them gets its metadata from
 * the last one. Used by one thread.
 */
final class MergedSources implements AutoCloseable {

    private final FileAccess access;
    private final List<PlannedRoot> roots;

    MergedSources(FileAccess access, List<PlannedRoot> roots) {
        this.access = access;
        this.roots = roots;
    }

    /** Returns whether a later source has this directory too: its metadata count then. */
    boolean isOverlaid(int root, TreePath path) {
        return has(root, path, other -> other > root);
    }

    /**
     * Returns whether an earlier source has this directory too: the copy may then have attributes that this source
     * lacks.
     */
    boolean isAbove(int root, TreePath path) {
        return has(root, path, other -> other < root);
    }

    private boolean has(int root, TreePath path, IntPredicate which) {
        ByteString place = roots.get(root).place();
        return IntStream.range(0, roots.size())
                .filter(which)
                .filter(other -> roots.get(other).place().equals(place))
                .anyMatch(other -> isDirectory(roots.get(other), path));
    }

    private boolean isDirectory(PlannedRoot root, TreePath path) {
        try {
            return LongPath.status(access, path.below(root.source()), true).kind() == EntryKind.DIRECTORY;
        } catch (SystemCallException e) {
            return false;
        }
    }

    @Override
    public void close() {
        access.close();
    }
}
