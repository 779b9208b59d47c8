// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileId;
import org.treehaul.core.entry.FileStatus;

/**
 * The files with several names that a dry run has found: the first name counts as the copy, each further one as a link
 * to it. A group is forgotten when all its names were found. Safe for any number of threads.
 */
final class DryLinks {

    private final ConcurrentHashMap<FileId, Group> groups = new ConcurrentHashMap<>();

    /**
     * Returns the group of a file.
     *
     * @param source its status, with a link count greater than one
     */
    Group group(FileStatus source) {
        return groups.computeIfAbsent(FileId.of(source), file -> new Group(file, source.linkCount()));
    }

    /** The names of one file. The caller synchronizes on it while it decides for a name. */
    final class Group {
        private final FileId file;
        private long missing;
        private boolean isLed;
        private @Nullable FileStatus kept;

        private Group(FileId file, long linkCount) {
            this.file = file;
            this.missing = linkCount;
        }

        /** Returns whether an earlier name leads, so that the next one becomes a link. */
        boolean isLed() {
            return isLed;
        }

        /**
         * Reports the name that leads.
         *
         * @param existing the existing file under the target name if it is kept, else null
         */
        void leads(@Nullable FileStatus existing) {
            isLed = true;
            kept = existing;
        }

        /** Returns whether an existing entry already is the link that the copy would make. */
        boolean isLinked(@Nullable FileStatus there) {
            return there != null && kept != null && there.isSameFile(kept);
        }

        /** Reports that a name was decided. */
        void nameDone() {
            if (--missing <= 0) {
                groups.remove(file, this);
            }
        }
    }
}
