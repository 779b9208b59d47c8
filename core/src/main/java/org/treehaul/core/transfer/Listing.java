// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What stands in a directory, in no stated order. A server that does not answer is told as an {@link IOException}, also
 * in the midst of it, where the JDK's own stream throws what nobody expects.
 */
public final class Listing implements AutoCloseable {

    private final DirectoryStream<Path> stream;
    private final Iterator<Path> iterator;

    Listing(DirectoryStream<Path> stream) {
        this.stream = stream;
        this.iterator = stream.iterator();
    }

    /** Begins to list all of a directory. */
    @SuppressWarnings("StreamResourceLeak") // Closed by close.
    public static Listing of(Path directory) throws IOException {
        return new Listing(Files.newDirectoryStream(directory));
    }

    /** Begins to list what has a name like this, as a shell matches them. */
    @SuppressWarnings("StreamResourceLeak") // Closed by close.
    public static Listing of(Path directory, String glob) throws IOException {
        return new Listing(Files.newDirectoryStream(directory, glob));
    }

    /** Returns the next, or null after the last. */
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
