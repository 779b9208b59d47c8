// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import org.treehaul.cli.args.ExactArguments;

/** Makes text, and paths of java.nio, of arguments, in which a character stands for a byte. */
final class Texts {

    // The one by which java.nio makes bytes of a path; ASCII in the C locale.
    private static final Charset PATHS = Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));

    private Texts() {}

    /** Returns whether an argument is text in UTF-8. */
    static boolean isText(String argument) {
        return argument.equals(encode(decode(argument), StandardCharsets.UTF_8));
    }

    /** Returns the text that an argument is in UTF-8. */
    static String decode(String argument) {
        return new String(ExactArguments.bytes(argument), StandardCharsets.UTF_8);
    }

    /**
     * Returns a path that java.nio can use.
     *
     * @throws IllegalArgumentException when it cannot, in this locale
     */
    static Path path(String argument) {
        String decoded = new String(ExactArguments.bytes(argument), PATHS);
        if (!argument.equals(encode(decoded, PATHS))) {
            throw new IllegalArgumentException("the path '" + ExactArguments.printable(argument)
                    + "' is not text in this locale; for UTF-8 set LC_ALL=C.UTF-8");
        }
        return Path.of(decoded);
    }

    /** Returns the bytes of a path. */
    static byte[] bytes(Path path) {
        return path.toString().getBytes(PATHS);
    }

    private static String encode(String text, Charset charset) {
        return new String(text.getBytes(charset), StandardCharsets.ISO_8859_1);
    }
}
