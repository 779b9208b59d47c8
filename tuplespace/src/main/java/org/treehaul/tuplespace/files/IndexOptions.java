// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import org.treehaul.core.walk.Symlinks;
import org.treehaul.core.walk.WalkOptions;

/**
 * How trees are indexed. Immutable.
 *
 * @param walk how they are walked; status is read whatever this says, and links are followed only where they are roots
 * @param hash which hash of the data of regular files is kept
 * @param isLossAccepted whether much of a tree may be gone: without this a run in which more than a tenth of a large
 *        tree would be removed from the index leaves it as it was
 */
public record IndexOptions(WalkOptions walk, Hash hash, boolean isLossAccepted) {

    /** The hashes that there are. */
    public enum Hash {
        /** None: no file is opened. */
        NONE,
        /** XXH3 of 128 bits. */
        XXH3,
        /** SHA-256. */
        SHA256
    }

    /** Makes options. */
    public IndexOptions {
        walk = walk.withStatus(true).withSymlinks(Symlinks.ROOTS);
    }

    /** Returns the usual options: without hashes, threads chosen by the walk. */
    public static IndexOptions defaults() {
        return new IndexOptions(WalkOptions.defaults(), Hash.NONE, false);
    }

    /** Returns a copy that walks otherwise. */
    public IndexOptions withWalk(WalkOptions other) {
        return new IndexOptions(other, hash, isLossAccepted);
    }

    /** Returns a copy with another hash. */
    public IndexOptions withHash(Hash other) {
        return new IndexOptions(walk, other, isLossAccepted);
    }

    /**
     * Returns a copy that takes what a file system does not list any more for gone, however much it is, or does not.
     */
    public IndexOptions withLossAccepted(boolean accepted) {
        return new IndexOptions(walk, hash, accepted);
    }
}
