// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Reads lines of bounded length. */
final class Lines {

    /** The longest line, in bytes. */
    static final int LONGEST = 8192;

    private final InputStream in;

    Lines(InputStream in) {
        this.in = new BufferedInputStream(in, LONGEST);
    }

    /**
     * Returns the next line; empty at the end. A line without an end is none, since it may be a part of one.
     *
     * @throws IOException if the line is too long
     */
    Optional<String> next() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b >= 0; b = in.read()) {
            if (b == '\n') {
                return Optional.of(line.toString(StandardCharsets.UTF_8));
            }
            if (line.size() == LONGEST) {
                throw new IOException("a line is longer than " + LONGEST + " bytes");
            }
            line.write(b);
        }
        return Optional.empty();
    }

    /** Returns a text as a part of a line. */
    static String part(String text) {
        int most = LONGEST / 8;
        String shorter = text.length() > most ? text.substring(0, most) + "..." : text;
        return shorter.replaceAll("\\p{Cntrl}+", " ").strip();
    }
}
