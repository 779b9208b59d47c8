// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/** The directories in which an entry failed, at any depth. Thread-safe; its memory grows with the failures. */
public final class FailedPlaces {

    private final Set<Place> directories = ConcurrentHashMap.newKeySet();

    private record Place(ByteString root, TreePath path) {}

    /** Creates an empty set. */
    public FailedPlaces() {}

    /** Adds the directory that contains a failed entry. */
    public void add(EntryFailure failure) {
        add(failure.root(), failure.path());
    }

    /** Adds the directory that contains an entry. */
    public void add(ByteString root, TreePath entry) {
        if (!entry.isRoot()) {
            directories.add(new Place(root, entry.parent()));
        }
    }

    /** Adds a directory that failed itself. */
    public void addDirectory(ByteString root, TreePath directory) {
        directories.add(new Place(root, directory));
    }

    /**
     * Returns whether an entry in a directory failed, or the directory itself; the directory then counts as failed in
     * its own parent.
     */
    public boolean contain(ByteString root, TreePath directory) {
        boolean isFailed = directories.contains(new Place(root, directory));
        if (isFailed) {
            add(root, directory);
        }
        return isFailed;
    }
}
