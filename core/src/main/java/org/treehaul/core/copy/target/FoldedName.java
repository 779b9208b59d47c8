// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import java.util.Arrays;
import java.util.Locale;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/**
 * Folds names like file systems that ignore case. Each of them has its own table; this folding is at least as coarse as
 * theirs for common names, and only a guess: the destination decides.
 */
public final class FoldedName {

    private FoldedName() {}

    /** Returns a form that is equal for names that differ only in case, or in how accents are composed. */
    public static String of(ByteString name) {
        byte[] bytes = name.toBytes();
        String text = isAscii(bytes) ? null : name.utf8().orElse(null);
        if (text == null) {
            // In bytes that are not text, only the ASCII letters have a case.
            return new String(withLetters(bytes, 'A', 'Z'), StandardCharsets.ISO_8859_1);
        }
        String decomposed = Normalizer.normalize(text, Normalizer.Form.NFD);
        return Normalizer.normalize(decomposed.toUpperCase(Locale.ROOT).toLowerCase(Locale.ROOT), Normalizer.Form.NFD);
    }

    /** Returns a hash of {@link #of} for which few different names collide. */
    static long hash(ByteString name) {
        // FNV-1a over the characters, with its 64-bit prime.
        long hash = 0xcbf29ce484222325L;
        String folded = of(name);
        for (int i = 0; i < folded.length(); i++) {
            hash = (hash ^ folded.charAt(i)) * 0x100000001b3L;
        }
        return hash;
    }

    /** Returns whether the name has letters that every case-insensitive file system folds. */
    static boolean hasFoldedLetters(ByteString name) {
        return inOtherAsciiCase(name.toBytes()) != null;
    }

    /** Returns the name in the other case, or null if there is none. */
    static @Nullable ByteString inOtherCase(ByteString name) {
        byte[] ascii = inOtherAsciiCase(name.toBytes());
        if (ascii != null) {
            return ByteString.of(ascii);
        }
        String text = name.utf8().orElse("");
        String lower = text.toLowerCase(Locale.ROOT);
        String other = lower.equals(text) ? text.toUpperCase(Locale.ROOT) : lower;
        byte[] bytes = other.getBytes(StandardCharsets.UTF_8);
        return other.equals(text) || bytes.length > 255 ? null : ByteString.of(bytes);
    }

    private static byte @Nullable [] inOtherAsciiCase(byte[] name) {
        byte[] lower = withLetters(name, 'A', 'Z');
        if (!Arrays.equals(lower, name)) {
            return lower;
        }
        byte[] upper = withLetters(name, 'a', 'z');
        return Arrays.equals(upper, name) ? null : upper;
    }

    // Inverts the case of the letters in a range.
    private static byte[] withLetters(byte[] name, char first, char last) {
        byte[] changed = name.clone();
        for (int i = 0; i < changed.length; i++) {
            if (changed[i] >= first && changed[i] <= last) {
                changed[i] ^= 0x20;
            }
        }
        return changed;
    }

    private static boolean isAscii(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return false;
            }
        }
        return true;
    }
}
