// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.args;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * Reads the arguments as the kernel stores them. The JVM decodes them according to the locale and loses every byte that
 * is not valid text: in the C locale, all except ASCII.
 */
public final class ExactArguments {

    /** Set by the launcher process, whose own command line holds the arguments. */
    private static final String ARGUMENTS_OF = "treehaul.argv.pid";

    private ExactArguments() {}

    /**
     * Returns the arguments, with each byte as one character of ISO-8859-1.
     *
     * @param decoded the arguments as the JVM decoded them
     * @throws IllegalArgumentException if an argument is not ASCII and its bytes cannot be read; the message names the
     *         remedy
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
                throw new IllegalArgumentException(
                        "the argument '" + argument + "' is not ASCII, and its bytes cannot be read"
                                + " from /proc: give the path without an @file for java, or list it in --files-from");
            }
        }
        return decoded;
    }

    // Each argument ends with a NUL, see proc_pid_cmdline(5); the program's arguments are the last ones, after those of
    // the JVM.
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
            // A JVM that replaces undecodable bytes by '?' returns ASCII.
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

    /** Returns the original bytes of the argument. */
    public static byte[] bytes(String argument) {
        return argument.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Returns text that contains arguments, printable. */
    public static String printable(String text) {
        // Messages of libraries contain line ends; an argument cannot, once it is escaped.
        return Arrays.stream(text.split("\n", -1))
                .map(line -> org.treehaul.core.entry.ByteString.escape(bytes(line)))
                .reduce((a, b) -> a + "\\n" + b)
                .orElse("");
    }
}
