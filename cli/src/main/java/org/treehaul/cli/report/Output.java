// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/**
 * Standard output, for results. Any thread may write; the bytes of one call stay together.
 *
 * <p>
 * After the first error nothing more is written. A reader that has gone, as {@code head} does, causes no message; any
 * other error does, such as a full disk.
 */
public final class Output {

    private static final int BUFFER = 64 * 1024;
    private static final Pattern OTHER_THAN_LAYOUT = Pattern.compile("[^\\n\\t]+");

    private final OutputStream out;
    private final boolean hasReader;
    private final boolean isTerminal;
    private final byte[] buffer = new byte[BUFFER];
    private int used;
    private @Nullable IOException error;
    private volatile boolean usable = true;

    /** Creates an output to a stream. */
    Output(OutputStream out, boolean hasReader, boolean isTerminal) {
        this.out = out;
        this.hasReader = hasReader;
        this.isTerminal = isTerminal;
    }

    /** Returns standard output. */
    public static Output standard() {
        return new Output(new FileOutputStream(FileDescriptor.out), Terminal.isPipe(Terminal.OUT),
                Terminal.is(Terminal.OUT));
    }

    /** Returns an output to a stream. */
    public static Output to(OutputStream out) {
        return new Output(out, false, false);
    }

    /**
     * Writes one or more lines of text. Part of it may come from files, schedulers or other users, so a terminal gets
     * its control characters escaped, except line ends and tabs.
     */
    public void line(String text) {
        String shown = isTerminal
                ? OTHER_THAN_LAYOUT.matcher(text)
                        .replaceAll(part -> Matcher.quoteReplacement(ByteString.printable(part.group())))
                : text;
        byte[] bytes = (shown + "\n").getBytes(StandardCharsets.UTF_8);
        write(bytes, bytes.length);
    }

    /** Returns whether the output goes to a terminal, which obeys control characters in names and messages. */
    public boolean isTerminal() {
        return isTerminal;
    }

    /** Writes the first bytes of an array as they are. */
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

    /** Writes the content of the buffer to the stream. */
    public synchronized void flush() {
        drain();
    }

    /** Writes the content of the buffer, reports an error, and returns whether there was none. */
    public boolean isWritten(Screen screen) {
        flush();
        Optional<String> found = problem();
        found.ifPresent(screen::error);
        return found.isEmpty();
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

    /** Returns whether further output can be written. */
    public boolean isUsable() {
        return usable;
    }

    /** Returns whether the reader of the output has gone. */
    public boolean isReaderGone() {
        return !usable && hasReader;
    }

    /** Returns the error that prevented writing; empty without an error, or if only the reader has gone. */
    public synchronized Optional<String> problem() {
        return error == null || hasReader
                ? Optional.empty()
                : Optional.of("cannot write to standard output: " + error.getMessage());
    }
}
