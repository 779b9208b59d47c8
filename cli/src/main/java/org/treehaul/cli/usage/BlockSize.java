// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.usage;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Locale;

import org.treehaul.cli.args.ByteSize;

/**
 * How sizes are printed, as GNU coreutils print them: in units of a fixed size, or in the largest unit that leaves a
 * number of at least 1. Both round up.
 *
 * @param unit bytes of the unit, 1 or more; for numbers with a letter 1000 or 1024
 * @param isHuman whether the letter of the unit follows the number
 * @param suffix what follows each number in units of a fixed size
 */
record BlockSize(long unit, boolean isHuman, String suffix) {

    /** Kibibytes, the default of GNU du. */
    static final BlockSize KIBIBYTES = new BlockSize(1024, false, "");
    static final BlockSize MEBIBYTES = new BlockSize(1 << 20, false, "");
    static final BlockSize BYTES = new BlockSize(1, false, "");
    static final BlockSize HUMAN = new BlockSize(1024, true, "");
    static final BlockSize DECIMAL = new BlockSize(1000, true, "");

    private static final String LETTERS = "KMGTPE";

    /**
     * Parses a size as {@code --block-size} of GNU coreutils takes it: {@code 4K} is a unit of 4096 bytes, and
     * {@code M} is a unit whose letter follows each number.
     *
     * @throws IllegalArgumentException if the text is not a size, or is zero
     */
    static BlockSize parse(String text) {
        if (text.equals("human-readable")) {
            return HUMAN;
        }
        if (text.equals("si")) {
            return DECIMAL;
        }
        boolean isLetter = !text.isEmpty() && Character.isLetter(text.charAt(0));
        long bytes;
        try {
            bytes = ByteSize.parse(isLetter ? "1" + text : text).bytes();
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("'" + text + "' is not a unit; write one as 1, 4K, M or MB", e);
        }
        if (bytes < 1) {
            throw new IllegalArgumentException("a unit must have 1 byte or more");
        }
        boolean isKilo = text.toUpperCase(Locale.ROOT).equals("KB");
        return new BlockSize(bytes, false, isLetter ? isKilo ? "kB" : text : "");
    }

    /** Returns a number of bytes, 0 or more, as text. */
    String format(long bytes) {
        if (isHuman) {
            return human(bytes);
        }
        String number = Long.toString(bytes == 0 ? 0 : (bytes - 1) / unit + 1);
        return suffix.isEmpty() ? number : number + suffix;
    }

    private String human(long bytes) {
        if (bytes < unit) {
            return Long.toString(bytes);
        }
        long size = 1;
        int letter = -1;
        while (bytes / unit >= size) {
            size *= unit;
            letter++;
        }
        BigDecimal exact = BigDecimal.valueOf(bytes);
        BigDecimal tenths = exact.divide(BigDecimal.valueOf(size), 1, RoundingMode.CEILING);
        BigDecimal shown = tenths.compareTo(BigDecimal.TEN) < 0
                ? tenths
                : exact.divide(BigDecimal.valueOf(size), 0, RoundingMode.CEILING);
        if (shown.compareTo(BigDecimal.valueOf(unit)) == 0 && letter < LETTERS.length() - 1) {
            shown = BigDecimal.ONE.setScale(1);
            letter++;
        }
        return shown.toPlainString() + (unit == 1000 && letter == 0 ? "k" : LETTERS.substring(letter, letter + 1));
    }
}
