// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Determines the kind of file behind the standard streams. */
public final class Terminal {

    /** Descriptor of standard output. */
    public static final int OUT = 1;
    /** Descriptor of standard error. */
    public static final int ERR = 2;

    private static final int USUAL_COLUMNS = 80;

    private Terminal() {}

    /** Returns whether a descriptor of this process refers to a terminal. */
    public static boolean is(int descriptor) {
        String target = target(descriptor);
        return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
    }

    /** Returns whether a descriptor has a reader at the other end, which may go away. */
    static boolean isPipe(int descriptor) {
        String target = target(descriptor);
        return target.startsWith("pipe:") || target.startsWith("socket:") || is(descriptor);
    }

    private static String target(int descriptor) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
        } catch (IOException | UnsupportedOperationException e) {
            return "";
        }
    }

    /**
     * Returns whether to use colours on a descriptor: for {@code always} and {@code never} as they say, else on a
     * terminal that supports them.
     */
    public static boolean wantsColor(String when, int descriptor) {
        if (!when.equals("auto")) {
            return when.equals("always");
        }
        String no = System.getenv("NO_COLOR");
        return (no == null || no.isEmpty()) && obeysEscapes(System.getenv()) && is(descriptor);
    }

    /** Returns whether standard error is a terminal on which a line can be redrawn. */
    public static boolean takesBar() {
        return obeysEscapes(System.getenv()) && is(ERR);
    }

    static boolean obeysEscapes(Map<String, String> environment) {
        return !"dumb".equals(environment.get("TERM"));
    }

    /** Returns the columns of the terminal: from COLUMNS, else from stty(1), else 80. Takes milliseconds. */
    static int columns() {
        String given = System.getenv("COLUMNS");
        if (given != null && given.matches("[1-9][0-9]{0,4}")) {
            return Integer.parseInt(given);
        }
        try {
            Process stty = new ProcessBuilder("stty", "size", "-F", "/dev/tty")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            String[] size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim()
                    .split(" ", 2);
            int columns = stty.waitFor(1, TimeUnit.SECONDS) && size.length == 2 ? Integer.parseInt(size[1]) : 0;
            return columns > 0 ? columns : USUAL_COLUMNS;
        } catch (IOException | NumberFormatException e) {
            return USUAL_COLUMNS;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return USUAL_COLUMNS;
        }
    }
}
