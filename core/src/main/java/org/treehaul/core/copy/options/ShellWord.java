// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.options;

import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;

/** Writes words of command lines that a message prints, so that they mean the same when a user pastes them. */
@Internal
public final class ShellWord {

    // Words that mean the same in every shell without quotes.
    private static final Pattern PLAIN = Pattern.compile("[\\w./+:@%,-][\\w./+:@%,=-]*");

    private ShellWord() {}

    /**
     * Returns a word in the quoting of a shell, printable: in apostrophes, or as bash, zsh and ksh read {@code $'...'}
     * if it has bytes that cannot be printed.
     */
    public static String of(ByteString word) {
        String text = new String(word.toBytes(), StandardCharsets.UTF_8);
        if (PLAIN.matcher(text).matches()) {
            return text;
        }
        // The printable form of printable text differs from it only in its backslashes.
        String escaped = word.toString();
        return escaped.equals(text.replace("\\", "\\\\"))
                ? "'" + text.replace("'", "'\\''") + "'"
                : "$'" + escaped.replace("'", "\\'") + "'";
    }
}
