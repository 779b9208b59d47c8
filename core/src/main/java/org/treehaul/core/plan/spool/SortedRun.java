// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;

/** A file of sorted records, read one after another into memory that is used again. Used by one thread. */
final class SortedRun implements Closeable {

    private final int number;
    private final InputStream in;
    private byte[] bytes;
    private int start;
    private int length;
    private int filled;
    // A record that begins before this comes before the records of all other files.
    private int knownFirst;

    /**
     * Opens a file.
     *
     * @param number its place among the files that are merged: of equal records, those of the first come first
     * @param readBytes the memory that it uses, unless a single record is larger
     */
    SortedRun(Path file, int number, int readBytes) throws IOException {
        this.number = number;
        this.bytes = new byte[readBytes];
        this.in = Files.newInputStream(file);
    }

    /** Returns the order in which the current records of several files are merged. */
    static Comparator<SortedRun> order(boolean descending) {
        return (a, b) -> {
            int result = a.compare(a.start, b);
            return result == 0 ? Integer.compare(a.number, b.number) : descending ? -result : result;
        };
    }

    /** Advances to the next record; returns false after the last. */
    boolean advance() throws IOException {
        start += length;
        length = 0;
        if (filled - start < RunBuffer.FRAME && !fill(RunBuffer.FRAME)) {
            return false;
        }
        length = RunBuffer.length(bytes, start);
        if (filled - start < length && !fill(length)) {
            throw new EOFException("the spool ends too early");
        }
        return true;
    }

    // Reads on until there are this many bytes of the record; returns false if the file ends before its first byte.
    private boolean fill(int needed) throws IOException {
        int left = filled - start;
        byte[] to = needed > bytes.length ? new byte[needed] : bytes;
        System.arraycopy(bytes, start, to, 0, left);
        bytes = to;
        knownFirst -= start;
        start = 0;
        filled = left;
        while (filled < needed) {
            int read = in.read(bytes, filled, bytes.length - filled);
            if (read < 0) {
                if (filled > 0) {
                    throw new EOFException("the spool ends too early");
                }
                return false;
            }
            filled += read;
        }
        return true;
    }

    /** Returns whether the record comes before those of all other files, because {@link #lookAhead} has found that. */
    boolean isKnownFirst() {
        return start < knownFirst;
    }

    /**
     * Looks how many of the next records in memory come before the current record of another file, as the current one
     * does. The steps grow, because the files have many records in a row.
     *
     * @param first the file whose record is the first of all others
     */
    void lookAhead(SortedRun first, boolean descending) {
        int found = start;
        int steps = 1;
        for (int at = skip(found, steps); at >= 0 && isBefore(at, first, descending); at = skip(found, steps)) {
            found = at;
            steps = 2 * steps;
        }
        knownFirst = found + 1;
    }

    // Returns where the record after some others begins, or -1 if it is not whole in memory.
    private int skip(int from, int records) {
        int at = from;
        for (int i = 0; i <= records; i++) {
            if (filled - at < RunBuffer.FRAME) {
                return -1;
            }
            int end = at + RunBuffer.length(bytes, at);
            if (end > filled) {
                return -1;
            }
            at = i == records ? at : end;
        }
        return at;
    }

    // Equal records need no order here: they are compared when their turn comes.
    private boolean isBefore(int record, SortedRun other, boolean descending) {
        int result = compare(record, other);
        return descending ? result > 0 : result < 0;
    }

    // Compares the key of a record in memory with that of the current record of a file.
    private int compare(int record, SortedRun other) {
        int key = record + RunBuffer.FRAME;
        return Arrays.compareUnsigned(bytes, key, key + RunBuffer.keyLength(bytes, record), other.bytes,
                other.keyStart(), other.keyStart() + other.keyLength());
    }

    byte[] bytes() {
        return bytes;
    }

    int keyStart() {
        return start + RunBuffer.FRAME;
    }

    int keyLength() {
        return RunBuffer.keyLength(bytes, start);
    }

    /** Returns the length of the record, with its header. */
    int length() {
        return length;
    }

    /** Closes the file, which was only read, so that no error can matter. */
    @Override
    public void close() {
        try {
            in.close();
        } catch (IOException e) {
            // Nothing was written.
        }
    }
}
