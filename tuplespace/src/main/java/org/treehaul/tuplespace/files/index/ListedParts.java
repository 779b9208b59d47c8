// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.tuplespace.files.FileTuple;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.TupleCodec;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Parts of listings whose directories have not ended yet, sorted by name in files: one directory may have more entries
 * than fit into memory. Used by one thread.
 */
final class ListedParts implements Closeable {

    private static final TupleType<FileTuple> TYPE = TupleType.of(FileTuple.class);
    private static final int BYTES = 1 << 20;
    /**
     * Up to this number of directories keep up to {@link #BYTES} in memory; others write each part to a file at once.
     */
    private static final int MOST_IN_MEMORY = 8;
    /** First byte of a record that is a tuple; the other records are kinds of failures, as words. */
    private static final byte TUPLE = -1;

    private static final String PREFIX = "treehaul-index-";

    private final Path directory;
    private final boolean isShared;
    private final Map<Place, ExternalSort> parts = new HashMap<>();
    private boolean isMade;
    private @Nullable ScratchDirectory scratch;
    private long made;

    /**
     * Creates no files yet.
     *
     * @param directory directory for the files; created when there are some, and removed by {@link #close}. The files
     *        that an earlier run left there are removed now
     */
    ListedParts(Path directory) throws IndexException {
        this(directory, false);
        clear();
    }

    private ListedParts(Path directory, boolean isShared) {
        this.directory = directory;
        this.isShared = isShared;
    }

    /**
     * Creates no files yet.
     *
     * @param parent directory in which that for the files is made, under a name of its own; {@link #close} removes it,
     *        and after a kill the next one on the host does
     */
    static ListedParts below(Path parent) {
        return new ListedParts(parent, true);
    }

    private void clear() throws IndexException {
        if (Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
            try {
                try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
                    for (Path file : left) {
                        Files.deleteIfExists(file);
                    }
                }
                Files.delete(directory);
            } catch (IOException e) {
                throw notRemoved(directory, e);
            }
        }
    }

    private static IndexException notRemoved(Path left, IOException e) {
        return new IndexException(left + ", a temporary file of a run of index, cannot be removed: "
                + PrivateFiles.describe(e) + "; remove it", e);
    }

    /** Returns whether parts of a directory are stored here. */
    boolean has(Place place) {
        return !parts.isEmpty() && parts.containsKey(place);
    }

    /** Stores a part until the end of its directory. */
    void add(Listing part) {
        try {
            ExternalSort sort = parts.get(part.place());
            if (sort == null) {
                sort = sort();
                parts.put(part.place(), sort);
            }
            add(sort, part);
            if (parts.size() > MOST_IN_MEMORY) {
                sort.spill();
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private ExternalSort sort() throws IOException {
        return new ExternalSort(made(), "listing-" + made++, false, BYTES);
    }

    private Path made() throws IOException {
        if (isShared) {
            ScratchDirectory open = scratch == null ? ScratchDirectory.open(directory, PREFIX) : scratch;
            scratch = open;
            return open.path();
        }
        if (!isMade) {
            PrivateFiles.makeDirectory(directory);
            isMade = true;
        }
        return directory;
    }

    /** Returns a sorter with files in the same directory, in ascending order. */
    ExternalSort sorter(String name, int bytes) {
        return new ExternalSort(this::made, name, false, bytes);
    }

    /** A use of such a sorter. */
    interface Action {
        void run() throws IOException;
    }

    /** Runs an action, and throws its failure as that of this storage. */
    void run(Action action) {
        try {
            action.run();
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private UncheckedIOException failed(IOException e) {
        return new UncheckedIOException(new IndexException("cannot sort names of directories in " + directory + ": "
                + PrivateFiles.describe(e) + "; the index is unchanged", e));
    }

    private static void add(ExternalSort sort, Listing part) throws IOException {
        for (FileTuple entry : part.entries()) {
            byte[] tuple = TupleCodec.encode(TYPE, entry.in(ByteString.empty())).toArray();
            byte[] content = new byte[1 + tuple.length];
            content[0] = TUPLE;
            System.arraycopy(tuple, 0, content, 1, tuple.length);
            sort.add(entry.name().toBytes(), content);
        }
        for (Map.Entry<ByteString, EntryFailure.Kind> failure : part.failures().entrySet()) {
            sort.add(failure.getKey().toBytes(), failure.getValue().name().getBytes(StandardCharsets.US_ASCII));
        }
    }

    /** Removes the parts of a directory, if there are any. */
    void drop(Place place) {
        ExternalSort known = parts.remove(place);
        if (known != null) {
            run(known::close);
        }
    }

    /**
     * Returns everything found in a directory, in the order of names.
     *
     * @param last the last part of the directory, or all of it
     */
    Found end(Listing last) {
        ExternalSort known = parts.remove(last.place());
        try {
            ExternalSort sort = known == null ? sort() : known;
            boolean isOpen = false;
            try {
                add(sort, last);
                Found found = new Found(last.directory(), sort);
                isOpen = true;
                return found;
            } finally {
                if (!isOpen) {
                    sort.close();
                }
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    /**
     * A name found in a directory.
     *
     * @param entry null if the entry is gone, or only its failure is known
     * @param failure null if nothing failed
     */
    record Named(ByteString name, @Nullable FileTuple entry, EntryFailure.@Nullable Kind failure) {}

    /** The names found in a directory, one after another. */
    final class Found implements Closeable {

        private final ByteString path;
        private final ExternalSort sort;
        private final ExternalSort.Records records;
        private boolean isMore;

        private Found(ByteString path, ExternalSort sort) throws IOException {
            this.path = path;
            this.sort = sort;
            records = sort.open();
            isMore = records.advance();
        }

        /** Returns the next name, or null at the end. */
        @Nullable Named next() {
            if (!isMore) {
                return null;
            }
            try {
                ByteString name = ByteString.of(records.key());
                FileTuple entry = null;
                EntryFailure.Kind failure = null;
                while (isMore && name.equals(ByteString.of(records.key()))) {
                    byte[] content = records.content();
                    if (content[0] == TUPLE) {
                        Bytes tuple = Bytes.of(Arrays.copyOfRange(content, 1, content.length));
                        entry = TupleCodec.decode(TYPE, tuple).in(path);
                    } else {
                        EntryFailure.Kind kind = EntryFailure.Kind
                                .valueOf(new String(content, StandardCharsets.US_ASCII));
                        failure = failure == null ? kind : Listing.worse(failure, kind);
                    }
                    isMore = records.advance();
                }
                return new Named(name, entry == null ? null : Listing.settled(entry, failure).orElse(null), failure);
            } catch (IOException e) {
                throw failed(e);
            }
        }

        @Override
        public void close() {
            records.close();
            try {
                sort.close();
            } catch (IOException e) {
                throw failed(e);
            }
        }
    }

    @Override
    public void close() throws IndexException {
        // Removing the directory removes their files.
        parts.clear();
        if (isMade) {
            clear();
        }
        ScratchDirectory open = scratch;
        if (open != null) {
            try {
                open.close();
            } catch (IOException e) {
                throw notRemoved(open.path(), e);
            }
        }
    }
}
