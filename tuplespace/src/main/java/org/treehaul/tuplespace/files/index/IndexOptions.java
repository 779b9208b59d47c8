// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Options of an index run. Immutable.
 *
 * @param walk options of the walk; it always reads the status, and follows symbolic links only if they are roots
 * @param hash the hash to store for the data of regular files
 * @param isLossAccepted whether a large part of a tree may be gone; if not, a run that would remove more than a tenth
 *        of a large tree from the index leaves the index unchanged
 * @param where the words of the conditions that entries must meet to be indexed; empty for those of the index, or for
 *        all entries if it has none
 * @param isLocalityStored whether to store the servers that have the data of regular files, on file systems that name
 *        them
 */
public record IndexOptions(WalkOptions walk, Hash hash, boolean isLossAccepted, List<ByteString> where,
        boolean isLocalityStored) {

    /** The available hashes. */
    public enum Hash {
        /** No hash: no file is opened. */
        NONE,
        /** XXH3 with 128 bits. */
        XXH3,
        /** SHA-256. */
        SHA256
    }

    public IndexOptions {
        where = List.copyOf(where);
        walk = walk.withStatus(true).withSymlinks(Symlinks.ROOTS);
    }

    /** Returns the defaults: no hashes; the walk chooses the number of threads. */
    public static IndexOptions defaults() {
        return new IndexOptions(WalkOptions.defaults(), Hash.NONE, false, List.of(), false);
    }

    /** Returns a copy with other options of the walk. */
    public IndexOptions withWalk(WalkOptions other) {
        return new IndexOptions(other, hash, isLossAccepted, where, isLocalityStored);
    }

    /** Returns a copy with another hash. */
    public IndexOptions withHash(Hash other) {
        return new IndexOptions(walk, other, isLossAccepted, where, isLocalityStored);
    }

    /** Returns a copy that accepts, or not, that a large part of a tree is no longer listed. */
    public IndexOptions withLossAccepted(boolean accepted) {
        return new IndexOptions(walk, hash, accepted, where, isLocalityStored);
    }

    /** Returns a copy that indexes only entries that meet conditions, given by their words. */
    public IndexOptions withWhere(List<ByteString> words) {
        return new IndexOptions(walk, hash, isLossAccepted, words, isLocalityStored);
    }

    /** Returns a copy that stores, or not, the servers that have the data of regular files. */
    public IndexOptions withLocality(boolean stored) {
        return new IndexOptions(walk, hash, isLossAccepted, where, stored);
    }
}
