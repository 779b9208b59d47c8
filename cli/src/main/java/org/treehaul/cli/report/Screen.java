// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

import org.treehaul.core.entry.ByteString;

/**
 * Standard error, for messages and for a status line at the bottom that is redrawn again and again. Safe for any number
 * of threads.
 *
 * <p>
 * Errors of standard error are ignored, because there is no other place to report them.
 */
public final class Screen {

    private static final String CLEAR = "\r\u001b[K";

    private final OutputStream err;
    private final String prefix;
    private final boolean color;
    private String status = "";
    // Bytes of a command have not ended their line, so the status line waits.
    private boolean isInLine;

    Screen(OutputStream err, String command, boolean color) {
        this.err = err;
        this.prefix = "treehaul: " + (command.isEmpty() ? "" : command + ": ");
        this.color = color;
    }

    /**
     * Returns standard error.
     *
     * @param command the command, for the prefix of messages: {@code treehaul: command:}
     * @param color whether to use colours
     */
    public static Screen standard(String command, boolean color) {
        return new Screen(new FileOutputStream(FileDescriptor.err), command, color);
    }

    /** Prints a message that is not an error. */
    public void note(String text) {
        print(prefix + printable(text));
    }

    /** Prints an error message. */
    public void error(String text) {
        print(color ? "\u001b[31m" + prefix + "\u001b[0m" + printable(text) : prefix + printable(text));
    }

    /** Prints a question; the answer is typed on the same line. */
    public synchronized void ask(String question) {
        write((status.isEmpty() ? "" : CLEAR) + prefix + question);
    }

    // Much of the text comes from elsewhere: other ranks, schedulers, files written by jobs. Only its line ends are
    // kept.
    private static String printable(String text) {
        return text.lines().map(ByteString::printable).collect(Collectors.joining("\n"));
    }

    private synchronized void print(String line) {
        if (isInLine) {
            write("\n");
            isInLine = false;
        }
        write((status.isEmpty() ? "" : CLEAR) + line + "\n" + status);
    }

    /** Replaces the status line; an empty text removes it. */
    public synchronized void status(String text) {
        if (!isInLine && (!text.isEmpty() || !status.isEmpty())) {
            write(CLEAR + text);
        }
        status = text;
    }

    /** Prints the first bytes of an array, which end a line or are part of a longer text, as they are. */
    public synchronized void bytes(byte[] bytes, int length) {
        if (!isInLine && !status.isEmpty()) {
            write(CLEAR);
        }
        write(bytes, length);
        isInLine = bytes[length - 1] != '\n';
        if (!isInLine && !status.isEmpty()) {
            write(status);
        }
    }

    private void write(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        write(bytes, bytes.length);
    }

    private void write(byte[] bytes, int length) {
        try {
            err.write(bytes, 0, length);
        } catch (IOException e) {
            // There is no other place to report the error.
            status = "";
        }
    }
}
