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
 * Standard error, for messages, and for one line at the bottom that is drawn anew again and again. Any thread may use
 * it.
 * <p>
 * Nobody can be told that standard error does not work, so its errors are passed over.
 */
public final class Screen {

    private static final String CLEAR = "\r\u001b[K";

    private final OutputStream err;
    private final String prefix;
    private final boolean color;
    private String status = "";

    Screen(OutputStream err, String command, boolean color) {
        this.err = err;
        this.prefix = "treehaul: " + (command.isEmpty() ? "" : command + ": ");
        this.color = color;
    }

    /**
     * Returns standard error.
     *
     * @param command whose messages these are; they begin with {@code treehaul: command:}
     * @param color whether to use colours
     */
    public static Screen standard(String command, boolean color) {
        return new Screen(new FileOutputStream(FileDescriptor.err), command, color);
    }

    /** Says something that is no error. */
    public void note(String text) {
        print(prefix + printable(text));
    }

    /** Says that something went wrong. */
    public void error(String text) {
        print(color ? "\u001b[31m" + prefix + "\u001b[0m" + printable(text) : prefix + printable(text));
    }

    /** Asks something; the answer comes on the same line. */
    public synchronized void ask(String question) {
        write((status.isEmpty() ? "" : CLEAR) + prefix + question);
    }

    // Much of what is said comes from elsewhere: other ranks, schedulers, files that jobs wrote. Only its lines stay.
    private static String printable(String text) {
        return text.lines().map(ByteString::printable).collect(Collectors.joining("\n"));
    }

    private synchronized void print(String line) {
        write((status.isEmpty() ? "" : CLEAR) + line + "\n" + status);
    }

    /** Draws the line at the bottom in place of the last one; an empty text takes it away. */
    public synchronized void status(String text) {
        if (!text.isEmpty() || !status.isEmpty()) {
            write(CLEAR + text);
        }
        status = text;
    }

    private void write(String text) {
        try {
            err.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // There is nobody left to tell.
            status = "";
        }
    }
}
