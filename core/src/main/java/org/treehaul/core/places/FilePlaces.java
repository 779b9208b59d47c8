// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.places;

import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/** Files that are in no mounted tree. Any number of threads may share an object. */
public interface FilePlaces extends AutoCloseable {

    /** The number of a part that is the whole file. */
    int WHOLE = -1;

    /**
     * Passes on the regular files at and below paths.
     *
     * @param roots the paths
     * @param isDivided whether a file is divided where its data change the host
     * @param where selects the files
     * @param action receives each file, with the index of its root; it may throw {@link java.io.UncheckedIOException}
     * @throws IOException if there is nothing under a path, or the files cannot be listed; the message names the remedy
     */
    void list(List<ByteString> roots, boolean isDivided, FileQuery where, Consumer<PlacedFile> action)
            throws IOException;

    /**
     * Returns a path to a file, or to the data of one of its parts.
     *
     * @param path the path of the file: a root, and the path below it
     * @param identity the number of the planned file
     * @param part the number of the part; {@link #WHOLE} for the whole file
     * @throws SystemCallException ENOENT if it no longer exists, ESTALE if another file has its path, or its size is
     *         not the planned one; another error if its data cannot be reached from this host
     */
    Place open(ByteString path, long identity, long size, int part) throws SystemCallException;

    @Override
    void close();

    /** A path that programs can open until it is closed. */
    interface Place extends AutoCloseable {

        /** Returns the path. */
        ByteString path();

        /** Returns the number of parts of the file, of which some may be empty. */
        int parts();

        /** Returns the offset in the file of the first byte of the part; 0 for a whole file. */
        long offset();

        /** Returns the size of the part in bytes. */
        long length();

        @Override
        void close();
    }
}
