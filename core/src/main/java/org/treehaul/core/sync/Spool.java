// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.PrivateFiles;

/**
 * Entries in the order in which they were added, in a file without a name, so that memory does not grow with them. The
 * file is made with the first entry. Any number of threads may add; read only after all have ended.
 */
final class Spool implements AutoCloseable {

    private static final int BUFFER_BYTES = 64 * 1024;

    private final Path directory;
    private @Nullable FileChannel file;
    private @Nullable DataOutputStream out;
    private long count;

    /** Creates an empty spool whose file will be in a directory. */
    Spool(Path directory) {
        this.directory = directory;
    }

    /**
     * Adds an entry.
     *
     * @throws UncheckedIOException if the file cannot be written
     */
    synchronized void add(Found found) {
        try {
            DataOutputStream to = out;
            if (to == null) {
                Path path = PrivateFiles.makeTemporaryFile(directory, "treehaul-sync-", ".tmp");
                FileChannel opened = PrivateFiles.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
                // Without a name, nothing is left after a kill.
                Files.delete(path);
                file = opened;
                to = new DataOutputStream(new BufferedOutputStream(Channels.newOutputStream(opened), BUFFER_BYTES));
                out = to;
            }
            found.write(to);
            count++;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the number of entries. */
    synchronized long count() {
        return count;
    }

    /**
     * Passes on all entries, some at a time.
     *
     * @param most the largest number at a time
     */
    void forEachPortion(int most, Consumer<List<Found>> consumer) {
        FileChannel from = file;
        DataOutputStream written = out;
        if (from == null || written == null) {
            return;
        }
        try {
            written.flush();
            from.position(0);
            DataInputStream in = new DataInputStream(
                    new BufferedInputStream(Channels.newInputStream(from), BUFFER_BYTES));
            List<Found> portion = new ArrayList<>();
            for (long i = 0; i < count; i++) {
                portion.add(Found.read(in));
                if (portion.size() == most) {
                    consumer.accept(portion);
                    portion = new ArrayList<>();
                }
            }
            if (!portion.isEmpty()) {
                consumer.accept(portion);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        FileChannel open = file;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
