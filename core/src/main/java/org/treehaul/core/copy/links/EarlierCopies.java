// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.links;

import java.lang.foreign.MemorySegment;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;

/** Earlier copies of the same source, whose equal entries need not be copied again. Safe for any number of threads. */
public interface EarlierCopies {

    /** Returns the earlier copies for the thread of a file access, which closes them. */
    Lookup open(FileAccess access);

    /**
     * An entry of the source.
     *
     * @param path path below the root
     * @param file descriptor of an open file; -1 for other entries
     * @param attributes its extended attributes
     * @param linkTarget the target of a symbolic link; empty for other entries
     */
    record Source(TreePath path, FileStatus status, int file, SortedMap<ByteString, ByteString> attributes,
            ByteString linkTarget) {}

    /**
     * The result for an entry that an earlier copy has.
     *
     * @param link the status of the entry to which the new name was linked; null if the entry is left out
     */
    record Taken(@Nullable FileStatus link) {}

    /** The earlier copies of one thread. */
    interface Lookup extends AutoCloseable {

        /**
         * Links the name of a new entry to an equal one, or leaves the entry out because there is one.
         *
         * @param directory the directory of the new entry
         * @param name its name there
         * @return null if the entry must be copied
         */
        @Nullable Taken take(Source source, int directory, MemorySegment name);

        /** Returns the operation by which an entry is taken, as events name it. */
        default String operation() {
            return "link";
        }

        @Override
        void close();
    }
}
