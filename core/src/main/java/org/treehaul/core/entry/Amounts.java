// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.math.BigDecimal;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;

/** Formats numbers for messages, the same in every locale. */
@Internal
public final class Amounts {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private static final String LETTERS = "KMGTPE";

    private static final Pattern SIZE = Pattern
            .compile("([0-9]*\\.?[0-9]+(?:[eE][0-9]{1,2})?|[0-9]+\\.) ?(?:([kKmMgGtTpPeE])([iI][bB]?|[bB]?)|[bB]?)");

    private Amounts() {}

    /**
     * Parses a number of bytes as users write it: {@code 4096}, {@code 64M}, {@code 1.5 TiB}, {@code 10MB},
     * {@code 1e6}. As in GNU coreutils, K, M, G, T, P, E alone and with iB are powers of 1024, with B powers of 1000;
     * as in rsync and rclone, upper and lower case mean the same, and a B is a byte, never a bit.
     *
     * @throws NumberFormatException if the text is not a size
     * @throws ArithmeticException if it is not a whole number of bytes, or exceeds 2^63-1
     */
    public static long parseBytes(String text) {
        Matcher size = SIZE.matcher(text);
        if (!size.matches()) {
            throw new NumberFormatException(text);
        }
        long unit = size.group(2) == null ? 1 : unit(size.group(2).charAt(0), size.group(3).equalsIgnoreCase("B"));
        String number = size.group(1);
        // The JVM computes large powers when it loads BigDecimal, which takes a tenth of the start of a command.
        return isShortWhole(number)
                ? Math.multiplyExact(Long.parseLong(number), unit)
                : new BigDecimal(number).multiply(BigDecimal.valueOf(unit)).longValueExact();
    }

    private static long unit(char letter, boolean isDecimal) {
        long unit = 1;
        for (int power = LETTERS.indexOf(Character.toUpperCase(letter)); power >= 0; power--) {
            unit *= isDecimal ? 1000 : 1024;
        }
        return unit;
    }

    // Every number of 18 digits is a long.
    private static boolean isShortWhole(String number) {
        boolean isWhole = number.length() <= 18;
        for (int i = 0; i < number.length() && isWhole; i++) {
            isWhole = number.charAt(i) >= '0' && number.charAt(i) <= '9';
        }
        return isWhole;
    }

    /**
     * Returns the sum of two amounts, 0 or more, or the largest long if it is larger: a file system may hold several
     * files without data whose sizes are that large.
     */
    public static long sum(long one, long other) {
        long sum = one + other;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }

    /** Returns the bytes in blocks of 512 bytes, at most the largest long. */
    public static long bytesOfBlocks(long blocks) {
        return blocks > Long.MAX_VALUE / 512 ? Long.MAX_VALUE : blocks * 512;
    }

    /** Returns a number with commas between the thousands. */
    public static String count(long number) {
        String digits = Long.toString(number);
        StringBuilder text = new StringBuilder(digits);
        for (int i = digits.length() - 3; i > (number < 0 ? 1 : 0); i -= 3) {
            text.insert(i, ',');
        }
        return text.toString();
    }

    /** Returns a number of bytes in the unit that leaves one to four digits, such as {@code 1.5 GiB}. */
    public static String bytes(long number) {
        int unit = 0;
        double value = number;
        while (value >= 1023.95 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return (unit == 0 ? count(number) : tenths(value)) + " " + UNITS[unit];
    }

    /** Returns a number with one decimal. */
    public static String tenths(double value) {
        long tenths = Math.round(value * 10);
        return tenths / 10 + "." + tenths % 10;
    }
}
