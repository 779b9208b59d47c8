// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;

/**
 * The hashes of files with several names, so that their data are read once. A file is forgotten when all its names were
 * found. Safe for any number of threads.
 */
final class LinkedHashes {

    // About 250 bytes each. Further files are read once for each name.
    private static final int MOST_FILES = 200_000;

    private record Key(long device, long inode) {}

    private final Map<Key, Names> files = new HashMap<>();
    private final int most;

    LinkedHashes() {
        this(MOST_FILES);
    }

    /**
     * Creates an instance without hashes.
     *
     * @param most the most files that are remembered at a time
     */
    LinkedHashes(int most) {
        this.most = most;
    }

    /** Returns the names of a file, or null if it has only one or if no more files can be remembered. */
    synchronized @Nullable Names of(FileStatus status) {
        if (status.linkCount() < 2) {
            return null;
        }
        Key key = new Key(status.device(), status.inode());
        Names names = files.get(key);
        if (names == null && files.size() < most) {
            names = new Names(key, status.linkCount());
            files.put(key, names);
        }
        return names;
    }

    private synchronized void forget(Names names) {
        files.remove(names.key, names);
    }

    /** The names of one file. The caller synchronizes on it while it hashes the file. */
    final class Names {
        private final Key key;
        private long missing;
        private @Nullable FileStatus hashed;
        private byte[] hash = {};

        private Names(Key key, long linkCount) {
            this.key = key;
            this.missing = linkCount;
        }

        /** Returns the hash of the file, or null if it is unknown or the file has changed since. */
        byte @Nullable [] hash(FileStatus now) {
            return hashed != null && now.isUnchangedSince(hashed) ? hash : null;
        }

        /** Keeps the hash of the file. */
        void keep(FileStatus status, byte[] value) {
            hashed = status;
            hash = value;
        }

        /** Reports that a name was found and its hash recorded. */
        void nameDone() {
            if (--missing <= 0) {
                forget(this);
            }
        }
    }
}
