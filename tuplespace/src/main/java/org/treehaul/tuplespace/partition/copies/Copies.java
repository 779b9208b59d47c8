// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.copies;

import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/**
 * The copies that a split has made, by the numbers of the tuples in the old store. The latest are in memory, all others
 * in sorted files, which are merged when there are many. For one thread.
 */
public final class Copies implements AutoCloseable {
    /** Copies in memory, of about 100 bytes each. */
    private static final int RECENT = 20_000;
    /**
     * Files of a level that are merged into one of the next level, so that an entry is written once for each level.
     * There are at most 15 files of each level, and each has a page of 32 kB in memory.
     */
    private static final int RUNS = 16;
    private static final String VARIABLE = "TMPDIR";

    private final int most;
    private final Supplier<Path> directory;
    private final TreeMap<Long, long[]> recent = new TreeMap<>();
    private final List<SortedRun> runs = new ArrayList<>();
    private long pass;
    private long size;
    private long lasting;
    private long written;

    /** Receives a copy. */
    @FunctionalInterface
    public interface Receiver {
        void copy(long tuple, Copy copy);
    }

    private interface Work<R> {
        R run() throws IOException;
    }

    /** Creates an empty instance, whose files are in {@code TMPDIR}, else in {@code /var/tmp}. */
    public Copies() {
        this(RECENT, () -> directory(System.getenv().getOrDefault(VARIABLE, "")));
    }

    /** Returns the directory that a value of the variable means. */
    static Path directory(String variable) {
        try {
            return Path.of(variable.isEmpty() ? "/var/tmp" : variable);
        } catch (InvalidPathException e) {
            throw new SpaceException(SpaceException.Reason.IO,
                    "a split needs a file in " + VARIABLE + ", which is not a path in this locale: " + e.getMessage(),
                    e);
        }
    }

    /** @param directory returns the directory of the files, which a small split does not need */
    Copies(int most, Supplier<Path> directory) {
        this.most = most;
        this.directory = directory;
    }

    private <R> R io(Work<R> work) {
        try {
            return work.run();
        } catch (IOException e) {
            throw new SpaceException(SpaceException.Reason.IO, "a split needs a file in " + directory.get()
                    + ", which failed: " + e + "; set " + VARIABLE + " to a directory with room for temporary files",
                    e);
        }
    }

    /** Returns the number of copies. */
    public long size() {
        return size;
    }

    /** Returns the number of copies whose leases do not end. */
    public long lasting() {
        return lasting;
    }

    /** Returns how many entries were written to files, each as often as it was written. */
    long written() {
        return written;
    }

    /** Begins a pass over the old store, in which no tuple has been seen. */
    public void beginPass() {
        pass++;
    }

    /** Notes that the pass has seen a tuple, and returns its copy; null if there is none. */
    public @Nullable Copy see(long tuple) {
        return io(() -> {
            Place place = place(tuple);
            if (place == null) {
                return Optional.<Copy>empty();
            }
            place.set(Entry.PASS, pass);
            return Optional.of(new Copy(place.get(Entry.ID), place.get(Entry.END)));
        }).orElse(null);
    }

    /** Notes the copy of a tuple that the pass has seen, in place of one before. */
    public void put(long tuple, Copy copy) {
        io(() -> {
            Place place = place(tuple);
            if (place == null) {
                size++;
                recent.put(tuple, new long[]{tuple, copy.id(), copy.expiresAt(), pass});
            } else {
                lasting -= place.get(Entry.END) == Store.NEVER ? 1 : 0;
                place.set(Entry.ID, copy.id());
                place.set(Entry.END, copy.expiresAt());
                place.set(Entry.PASS, pass);
            }
            lasting += copy.expiresAt() == Store.NEVER ? 1 : 0;
            if (recent.size() >= most) {
                flush();
            }
            return size;
        });
    }

    /** Where an entry is. */
    private static final class Place {
        private final long[] longs;
        private final int at;
        private final @Nullable SortedRun run;

        Place(long[] longs, int at, @Nullable SortedRun run) {
            this.longs = longs;
            this.at = at;
            this.run = run;
        }

        long get(int part) {
            return longs[at + part];
        }

        void set(int part, long value) {
            longs[at + part] = value;
            if (run != null) {
                run.changed();
            }
        }
    }

    private @Nullable Place place(long tuple) throws IOException {
        long[] own = recent.get(tuple);
        if (own != null) {
            return new Place(own, 0, null);
        }
        for (SortedRun run : runs) {
            int at = run.find(tuple);
            if (at >= 0) {
                return new Place(run.page(), at, run);
            }
        }
        return null;
    }

    private void flush() throws IOException {
        SortedRun run = new SortedRun(directory.get(), 0);
        runs.add(run);
        SortedRun.Writing writing = run.new Writing();
        for (long[] entry : recent.values()) {
            writing.add(entry, 0);
        }
        writing.flush();
        written += recent.size();
        recent.clear();
        for (int level = 0; runs(level).size() == RUNS; level++) {
            SortedRun merged = new SortedRun(directory.get(), level + 1);
            List<SortedRun> old = runs(level);
            runs.add(merged);
            SortedRun.Writing all = merged.new Writing();
            merge(old, entry -> {
                all.add(entry.longs, entry.at);
                written++;
            });
            all.flush();
            for (SortedRun one : old) {
                runs.remove(one);
                one.close();
            }
        }
    }

    private List<SortedRun> runs(int level) {
        return runs.stream().filter(run -> run.level() == level).toList();
    }

    private interface Entries {
        void add(Place entry) throws IOException;
    }

    /** Passes the entries of files, and of those in memory, in the order of their tuples. */
    private void merge(List<SortedRun> some, Entries entries) throws IOException {
        PriorityQueue<Cursor> cursors = new PriorityQueue<>(Comparator.comparingLong(Cursor::tuple));
        for (SortedRun run : some) {
            add(cursors, new Cursor(run));
        }
        Iterator<long[]> own = recent.values().iterator();
        long[] next = own.hasNext() ? own.next() : null;
        while (next != null || !cursors.isEmpty()) {
            Cursor first = cursors.peek();
            if (first == null || next != null && next[Entry.TUPLE] < first.tuple()) {
                entries.add(new Place(Objects.requireNonNull(next), 0, null));
                next = own.hasNext() ? own.next() : null;
            } else {
                cursors.remove();
                entries.add(new Place(first.longs, first.at, first.run));
                first.at += Entry.SIZE;
                add(cursors, first);
            }
        }
    }

    private static void add(PriorityQueue<Cursor> cursors, Cursor cursor) throws IOException {
        if (cursor.isThere()) {
            cursors.add(cursor);
        }
    }

    /** A place in a file. */
    private static final class Cursor {
        private final SortedRun run;
        private int page;
        private long[] longs = {};
        private int at;

        Cursor(SortedRun run) {
            this.run = run;
        }

        /** Goes on to the next entry that counts; returns false if there is none. */
        boolean isThere() throws IOException {
            while (true) {
                while (at == longs.length) {
                    if (page == run.pages()) {
                        return false;
                    }
                    longs = run.page(page++);
                    at = 0;
                }
                if (longs[at + Entry.PASS] != Entry.REMOVED) {
                    return true;
                }
                at += Entry.SIZE;
            }
        }

        long tuple() {
            return longs[at + Entry.TUPLE];
        }
    }

    /**
     * Removes the copies of tuples that the pass has not seen.
     *
     * @param removed receives the number of each in the new store
     */
    public void removeUnseen(LongConsumer removed) {
        io(() -> {
            merge(List.copyOf(runs), entry -> {
                if (entry.get(Entry.PASS) != pass) {
                    removed.accept(entry.get(Entry.ID));
                    entry.set(Entry.PASS, Entry.REMOVED);
                    size--;
                    lasting -= entry.get(Entry.END) == Store.NEVER ? 1 : 0;
                }
            });
            recent.values().removeIf(entry -> entry[Entry.PASS] == Entry.REMOVED);
            return size;
        });
    }

    /** Passes all copies in the order of the tuples. */
    public void forEach(Receiver receiver) {
        io(() -> {
            merge(List.copyOf(runs), entry -> receiver.copy(entry.get(Entry.TUPLE),
                    new Copy(entry.get(Entry.ID), entry.get(Entry.END))));
            return size;
        });
    }

    /** Removes the files. */
    @Override
    public void close() {
        io(() -> {
            for (SortedRun run : runs) {
                run.close();
            }
            runs.clear();
            return size;
        });
    }
}
