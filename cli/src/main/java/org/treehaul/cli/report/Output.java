// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

/**
 * Standard output, for results. Any thread may write; what one call writes stays together.
 * <p>
 * After the first error nothing more is written. A reader that went away, as {@code head} does, is not worth a message;
 * any other error is, a full disk first of all.
 */
public final class Output {

    private static final int BUFFER = 64 * 1024;

    private final OutputStream out;
    private final boolean hasReader;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private @Nullable IOException error;
    private volatile boolean usable = true;

    /** Makes an output to a stream. */
    Output(OutputStream out, boolean hasReader) {
        this.out = out;
        this.hasReader = hasReader;
    }

    /** Returns standard output. */
    public static Output standard() {
        return new Output(new FileOutputStream(FileDescriptor.out), Terminal.isPipe(Terminal.OUT));
    }

    /** Returns an output to a stream. */
    public static Output to(OutputStream out) {
        return new Output(out, false);
    }

    /** Writes a line of text. */
    public void line(String text) {
        byte[] bytes = (text + "\n").getBytes(StandardCharsets.UTF_8);
        write(bytes, bytes.length);
    }

    /** Writes the first bytes of an array. */
    public synchronized void write(byte[] bytes, int length) {
        if (length > BUFFER - used) {
            drain();
        }
        if (length > BUFFER) {
            send(bytes, length);
        } else {
            System.arraycopy(bytes, 0, buffer, used, length);
            used += length;
        }
    }

    /** Hands on what is still in the buffer. */
    public synchronized void flush() {
        drain();
    }

    private void drain() {
        send(buffer, used);
        used = 0;
    }

    private void send(byte[] bytes, int length) {
        if (!usable || length == 0) {
            return;
        }
        try {
            out.write(bytes, 0, length);
        } catch (IOException e) {
            error = e;
            usable = false;
        }
    }

    /** Returns whether it makes sense to write more. */
    public boolean isUsable() {
        return usable;
    }

    /** Returns whether the one who read the results has gone. */
    public boolean isReaderGone() {
        return !usable && hasReader;
    }

    /** Returns what kept results from being written, unless nothing did or the reader has just gone. */
    public synchronized Optional<String> problem() {
        return error == null || hasReader
                ? Optional.empty()
                : Optional.of("cannot write to standard output: " + error.getMessage());
    }
}
