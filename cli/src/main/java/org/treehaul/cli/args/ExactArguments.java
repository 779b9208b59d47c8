// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments as the kernel has them. The JVM decodes them by the locale, which loses every byte that is not
 * text in it: in the C locale all but ASCII.
 */
public final class ExactArguments {

    /** Set by the launcher that stands in for this process: its own command line holds the arguments. */
    private static final String ARGUMENTS_OF = "treehaul.argv.pid";

    private ExactArguments() {}

    /**
     * Returns the arguments, each byte as one character of ISO-8859-1.
     *
     * @param decoded the arguments as the JVM decoded them
     * @throws IllegalArgumentException when an argument is not ASCII and its bytes cannot be read; the message says
     *         what to do
     */
    public static String[] of(String[] decoded) {
        String process = System.getProperty(ARGUMENTS_OF, "self");
        return of(decoded, read(Path.of("/proc", process, "cmdline")));
    }

    private static byte @Nullable [] read(Path commandLine) {
        try {
            return Files.readAllBytes(commandLine);
        } catch (IOException e) {
            return null;
        }
    }

    static String[] of(String[] decoded, byte @Nullable [] commandLine) {
        String @Nullable [] exact = commandLine == null ? null : last(decoded.length, commandLine);
        if (exact != null && agree(decoded, exact)) {
            return exact;
        }
        for (String argument : decoded) {
            if (!isAscii(argument)) {
                throw new IllegalArgumentException("the argument '" + argument
                        + "' is not ASCII, and its bytes cannot be read"
                        + " from /proc: name the path without java's @file of arguments, or list it in --files-from");
            }
        }
        return decoded;
    }

    // Each argument ends with a NUL, proc_pid_cmdline(5); ours are the last ones, after those of the JVM.
    private static String @Nullable [] last(int count, byte[] commandLine) {
        String[] arguments = new String[count];
        int end = commandLine.length;
        for (int i = count - 1; i >= 0; i--) {
            if (end == 0 || commandLine[end - 1] != 0) {
                return null;
            }
            int start = end - 1;
            while (start > 0 && commandLine[start - 1] != 0) {
                start--;
            }
            arguments[i] = new String(commandLine, start, end - 1 - start, StandardCharsets.ISO_8859_1);
            end = start;
        }
        return arguments;
    }

    private static boolean agree(String[] decoded, String[] exact) {
        for (int i = 0; i < decoded.length; i++) {
            boolean isText = isAscii(decoded[i]) || isAscii(exact[i]);
            // A JVM that replaces what it cannot decode by '?' makes ASCII of it.
            if (isText && !decoded[i].equals(exact[i]) && !(decoded[i].indexOf('?') >= 0 && !isAscii(exact[i]))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (text.charAt(i) > 127) {
                return false;
            }
        }
        return true;
    }

    /** Returns the argument as the bytes that it was. */
    public static byte[] bytes(String argument) {
        return argument.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns the text, of which parts are arguments, printable. */
    public static String printable(String text) {
        // Messages of libraries end lines; no argument can, once escaped.
        return Arrays.stream(text.split("\n", -1))
                .map(line -> org.treehaul.core.entry.ByteString.escape(bytes(line)))
                .reduce((a, b) -> a + "\\n" + b)
                .orElse("");
    }
}
