// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.manifest;

import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;

/**
 * The hashes of files with several names, so that their data are read once. A file is forgotten when all its names were
 * found. Safe for any number of threads.
 */
final class LinkedHashes {

    // About 250 bytes each. Further files are read once for each name.
    private static final int MOST_FILES = 200_000;

    private final Map<FileId, Names> files = new HashMap<>();
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
        FileId file = FileId.of(status);
        Names names = files.get(file);
        if (names == null && files.size() < most) {
            names = new Names(file, status.linkCount());
            files.put(file, names);
        }
        return names;
    }

    private synchronized void forget(Names names) {
        files.remove(names.file, names);
    }

    /** The names of one file. The caller synchronizes on it while it hashes the file. */
    final class Names {
        private final FileId file;
        private long missing;
        private @Nullable FileStatus hashed;
        private byte[] hash = {};

        private Names(FileId file, long linkCount) {
            this.file = file;
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
