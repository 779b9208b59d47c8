// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync.renames;

import java.lang.foreign.MemorySegment;
import java.util.SortedMap;
import java.util.function.Function;

import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * The renames of a run: found before the first change, and made by the copy in place of copying the data. Safe for any
 * number of threads.
 *
 * @param candidates the files that only the destination has
 * @param tools makes the tools of a thread
 */
public record Renames(Candidates candidates, Function<FileAccess, Tools> tools) implements EarlierCopies {

    /** The destination as one thread reaches it, and the rules by which a file equals one of the source. */
    public interface Tools extends AutoCloseable {

        /**
         * Returns a directory of the destination.
         *
         * @throws SystemCallException if the destination itself cannot be opened
         */
        Directory directory(TreePath path) throws SystemCallException;

        /** Reads the attributes of an open file that take part in the comparison. */
        SortedMap<ByteString, ByteString> attributes(int file, FileStatus status) throws SystemCallException;

        /**
         * Returns whether a file of the destination equals one of the source in everything that is copied, data
         * included.
         *
         * @param node a descriptor of it, O_PATH is enough
         * @param directory the directory that contains it
         * @param name its name there
         */
        boolean isSame(Source source, FileStatus there, int node, int directory, MemorySegment name)
                throws SystemCallException;

        /** Counts a file that was renamed. */
        void count();

        /** Reports why a file could not be renamed. */
        void notice(String why);

        @Override
        void close();
    }

    @Override
    public RenameLookup open(FileAccess access) {
        return new RenameLookup(candidates, access, tools.apply(access));
    }
}
