// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.treehaul.cli.args.ExactArguments;

/** Converts arguments, in which each character represents a byte, into text and paths of java.nio. */
public final class Texts {

    // The charset with which java.nio encodes paths; ASCII in the C locale.
    private static final Charset PATHS = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private Texts() {}

    /** Returns whether an argument is UTF-8 text. */
    public static boolean isText(String argument) {
        return argument.equals(encode(decode(argument), StandardCharsets.UTF_8));
    }

    /** Returns an argument decoded as UTF-8. */
    public static String decode(String argument) {
        return new String(ExactArguments.bytes(argument), StandardCharsets.UTF_8);
    }

    /**
     * Returns a path that java.nio can use.
     *
     * @throws IllegalArgumentException if there is none in this locale
     */
    public static Path path(String argument) {
        String decoded = new String(ExactArguments.bytes(argument), PATHS);
        if (!argument.equals(encode(decoded, PATHS))) {
            throw new IllegalArgumentException("the path '" + ExactArguments.printable(argument)
                    + "' cannot be decoded in this locale; set LC_ALL=C.UTF-8 for UTF-8");
        }
        return Path.of(decoded);
    }

    /** Returns a path as an argument. */
    public static String argument(Path path) {
        return encode(path.toString(), PATHS);
    }

    private static String encode(String text, Charset charset) {
        return new String(text.getBytes(charset), StandardCharsets.ISO_8859_1);
    }
}
