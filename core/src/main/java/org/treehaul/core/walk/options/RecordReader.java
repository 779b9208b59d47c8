// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

/**
 * Reads byte sequences that end with one separator byte, a newline or a NUL; the last one may lack it. Not safe for
 * several threads.
 */
public final class RecordReader {

    /** The longest record: no path in practice is longer, and longer input without separators is not a list. */
    static final int MOST_BYTES = 1 << 20;

    private final InputStream in;
    private final int separator;
    private final String name;
    private final ByteArrayOutputStream record = new ByteArrayOutputStream();
    private long number;

    /**
     * Creates a reader, which does not close its input.
     *
     * @param in the input; the reader buffers it, so it may read beyond the last record that it returns
     * @param separator the separator byte, 0 for NUL or {@code '\n'}
     * @param name the name of the input, for messages
     */
    public RecordReader(InputStream in, int separator, String name) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.separator = separator;
        this.name = name;
    }

    /**
     * Returns the next record without its separator, or null at the end.
     *
     * @throws IllegalArgumentException if the record is longer than 1 MiB
     * @throws IOException if the input cannot be read
     */
    public byte @Nullable [] next() throws IOException {
        int b = in.read();
        if (b < 0) {
            return null;
        }
        number++;
        record.reset();
        while (b >= 0 && b != separator) {
            if (record.size() == MOST_BYTES) {
                throw new IllegalArgumentException(where() + " is longer than " + MOST_BYTES + " bytes: "
                        + (separator == 0 ? "are its paths separated by newlines?" : "is it a list?"));
            }
            record.write(b);
            b = in.read();
        }
        return record.toByteArray();
    }

    /** Returns the number of the last record read, counted from 1. */
    public long number() {
        return number;
    }

    /** Returns the position of the last record read, for messages. */
    public String where() {
        return name + (separator == '\n' ? ", line " : ", entry ") + number;
    }
}
