// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The entries of a directory, in no particular order. If a server does not respond, methods throw an
 * {@link IOException}, even halfway through, where the stream of the JDK throws an unchecked exception.
 */
public final class Listing implements AutoCloseable {

    private final DirectoryStream<Path> stream;
    private final Iterator<Path> iterator;

    Listing(DirectoryStream<Path> stream) {
        this.stream = stream;
        this.iterator = stream.iterator();
    }

    /** Starts listing a directory. */
    @SuppressWarnings("StreamResourceLeak") // Closed by close.
    public static Listing of(Path directory) throws IOException {
        return new Listing(Files.newDirectoryStream(directory));
    }

    /** Starts listing the entries of a directory whose names match a glob pattern. */
    @SuppressWarnings("StreamResourceLeak") // Closed by close.
    public static Listing of(Path directory, String glob) throws IOException {
        return new Listing(Files.newDirectoryStream(directory, glob));
    }

    /** Returns the next entry, or null after the last. */
    public @Nullable Path next() throws IOException {
        try {
            return iterator.hasNext() ? iterator.next() : null;
        } catch (DirectoryIteratorException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        stream.close();
    }
}
