// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

import org.jspecify.annotations.Nullable;

/** Reads byte sequences that one byte ends, a newline or a NUL; the last one needs no end. */
final class RecordReader {

    /** The longest record: no path that anybody writes down is longer, and what is has no newlines but is no list. */
    static final int MOST_BYTES = 1 << 20;

    private final InputStream in;
    private final int separator;
    private final String name;
    private final ByteArrayOutputStream record = new ByteArrayOutputStream();
    private long number;

    RecordReader(InputStream in, int separator, String name) {
        this.in = new BufferedInputStream(in, 64 * 1024);
        this.separator = separator;
        this.name = name;
    }

    /**
     * Returns the next record without its end, or null when there is none.
     *
     * @throws IllegalArgumentException when the record is too long to be one
     */
    byte @Nullable [] next() throws IOException {
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

    /** Returns the number of the record that was read last, from 1. */
    long number() {
        return number;
    }

    /** Returns the place of the record that was read last, for messages. */
    String where() {
        return name + (separator == '\n' ? ", line " : ", entry ") + number;
    }
}
