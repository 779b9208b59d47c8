// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/** Writes words of command lines in the quoting of shells. */
@Internal
public final class ShellWord {

    // Words that mean the same in every shell without quotes.
    private static final Pattern PLAIN = Pattern.compile("[\\w./+:@%,-][\\w./+:@%,=-]*");

    private ShellWord() {}

    /**
     * Returns a word for a message, so that it means the same when a user pastes it: in apostrophes if it needs them,
     * or as bash, zsh and ksh read {@code $'...'} if it has bytes that cannot be printed.
     */
    public static String of(ByteString word) {
        String text = new String(word.toBytes(), StandardCharsets.UTF_8);
        if (PLAIN.matcher(text).matches()) {
            return text;
        }
        // The printable form of printable text differs from it only in its backslashes.
        String escaped = word.toString();
        return escaped.equals(text.replace("\\", "\\\\")) ? quoted(text) : "$'" + escaped.replace("'", "\\'") + "'";
    }

    /** Returns a text in apostrophes, as every POSIX shell reads it. */
    public static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** Returns the bytes of a word in apostrophes, for a script. */
    public static byte[] quoted(ByteString word) {
        return quoted(new String(word.toBytes(), StandardCharsets.ISO_8859_1)).getBytes(StandardCharsets.ISO_8859_1);
    }
}
