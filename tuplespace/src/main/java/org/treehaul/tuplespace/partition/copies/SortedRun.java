// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.copies;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Entries in the order of the numbers of their tuples, in a file without a name, of which one page is in memory. For
 * one thread.
 */
final class SortedRun implements AutoCloseable {
    /** Entries of a page, which takes 32 kB. */
    private static final int PAGE = 1000;

    // No channel, which an interrupt of this thread would close.
    private final RandomAccessFile file;
    private final int level;
    private final ByteBuffer bytes = ByteBuffer.allocate(PAGE * Entry.SIZE * Long.BYTES);
    /** The first tuple of each page. */
    private final List<Long> firsts = new ArrayList<>();
    private long last = Long.MIN_VALUE;
    private long[] page = {};
    private int number = -1;
    private boolean isDirty;

    /**
     * Creates an empty file.
     *
     * @param level how often its entries were merged
     */
    SortedRun(Path directory, int level) throws IOException {
        this.level = level;
        Path path = Files.createTempFile(directory, ".treehaul-split-", "",
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        file = new RandomAccessFile(path.toFile(), "rw");
        // So nothing is left when the process is killed.
        Files.delete(path);
    }

    int level() {
        return level;
    }

    int pages() {
        return firsts.size();
    }

    /** Adds entries of which each has a greater tuple than those before. Only the last page may be smaller. */
    final class Writing {
        private final long[] next = new long[PAGE * Entry.SIZE];
        private int filled;

        void add(long[] from, int at) throws IOException {
            System.arraycopy(from, at, next, filled, Entry.SIZE);
            filled += Entry.SIZE;
            if (filled == next.length) {
                flush();
            }
        }

        void flush() throws IOException {
            if (filled > 0) {
                firsts.add(next[Entry.TUPLE]);
                last = next[filled - Entry.SIZE + Entry.TUPLE];
                write(firsts.size() - 1, Arrays.copyOf(next, filled));
                filled = 0;
            }
        }
    }

    private void write(int at, long[] longs) throws IOException {
        bytes.clear();
        bytes.asLongBuffer().put(longs);
        file.seek((long) at * bytes.capacity());
        file.write(bytes.array(), 0, longs.length * Long.BYTES);
    }

    /** Returns the entries of a page, which stay valid until another is asked for. */
    long[] page(int at) throws IOException {
        if (at != number) {
            save();
            bytes.clear();
            long position = (long) at * bytes.capacity();
            bytes.limit((int) Math.min(bytes.capacity(), file.length() - position));
            file.seek(position);
            file.readFully(bytes.array(), 0, bytes.limit());
            page = new long[bytes.limit() / Long.BYTES];
            bytes.asLongBuffer().get(page);
            number = at;
        }
        return page;
    }

    /** Returns the last page. */
    long[] page() {
        return page;
    }

    /** Notes that the entries of the last page were changed. */
    void changed() {
        isDirty = true;
    }

    private void save() throws IOException {
        if (isDirty) {
            write(number, page);
            isDirty = false;
        }
    }

    /** Returns the place of a tuple in its page, which is then the last one; -1 if it has none. */
    int find(long tuple) throws IOException {
        int after = tuple > last ? 0 : below(firsts.size(), tuple, firsts::get);
        if (after == 0) {
            return -1;
        }
        long[] longs = page(after - 1);
        int place = below(longs.length / Entry.SIZE, tuple, at -> longs[at * Entry.SIZE + Entry.TUPLE]) - 1;
        int at = place * Entry.SIZE;
        return place >= 0 && longs[at + Entry.TUPLE] == tuple && longs[at + Entry.PASS] != Entry.REMOVED ? at : -1;
    }

    private interface Tuples {
        long at(int place);
    }

    /** Returns how many of the sorted tuples are not greater. */
    private static int below(int count, long tuple, Tuples tuples) {
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (tuples.at(middle) <= tuple) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
