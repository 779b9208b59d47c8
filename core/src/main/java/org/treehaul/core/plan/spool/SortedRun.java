// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;

import org.treehaul.core.entry.ByteString;

/** A file of sorted records, read one after another into memory that is used again. Used by one thread. */
final class SortedRun implements Closeable {

    private final Path file;
    private final int number;
    private final InputStream in;
    // Records that are still to be read from the file.
    private long left;
    private byte[] bytes;
    private int start;
    private int length;
    private int filled;
    // A record that begins before this comes before the records of all other files.
    private int knownFirst;

    /**
     * Opens a file.
     *
     * @param records the number of its records
     * @param number its place among the files that are merged: of equal records, those of the first come first
     * @param readBytes the memory that it uses, unless a single record is larger
     */
    SortedRun(Path file, long records, int number, int readBytes) throws IOException {
        this.file = file;
        this.left = records;
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

    /**
     * Advances to the next record; returns false after the last.
     *
     * @throws IOException if the file cannot be read, or is not what was written: a server or a disk may have lost data
     */
    boolean advance() throws IOException {
        start += length;
        length = 0;
        if (left == 0) {
            return false;
        }
        if (filled - start < RunBuffer.FRAME) {
            fill(RunBuffer.FRAME);
        }
        length = lengthAt(start);
        if (filled - start < length) {
            fill(length);
        }
        left--;
        return true;
    }

    // Reads on until there are this many bytes of the record.
    private void fill(int needed) throws IOException {
        int kept = filled - start;
        byte[] to = needed > bytes.length ? new byte[needed] : bytes;
        System.arraycopy(bytes, start, to, 0, kept);
        bytes = to;
        knownFirst -= start;
        start = 0;
        filled = kept;
        while (filled < needed) {
            int read = in.read(bytes, filled, bytes.length - filled);
            if (read < 0) {
                throw damaged("ends " + left + " records too early");
            }
            filled += read;
        }
    }

    private int lengthAt(int record) throws IOException {
        int key = RunBuffer.keyLength(bytes, record);
        int all = RunBuffer.length(bytes, record);
        // No record is empty, but lost data are often zeros.
        if (key < 0 || all - RunBuffer.FRAME < Math.max(1, key)) {
            throw damaged("has a record of no valid length");
        }
        return all;
    }

    private IOException damaged(String what) {
        return new IOException(ByteString.of(file) + " " + what + ", so data that was written is lost");
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
    void lookAhead(SortedRun first, boolean descending) throws IOException {
        int found = start;
        int steps = 1;
        for (int at = skip(found, steps); at >= 0 && isBefore(at, first, descending); at = skip(found, steps)) {
            found = at;
            steps = 2 * steps;
        }
        knownFirst = found + 1;
    }

    // Returns where the record after some others begins, or -1 if it is not whole in memory.
    private int skip(int from, int records) throws IOException {
        int at = from;
        for (int i = 0; i <= records; i++) {
            if (filled - at < RunBuffer.FRAME) {
                return -1;
            }
            int end = at + lengthAt(at);
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
