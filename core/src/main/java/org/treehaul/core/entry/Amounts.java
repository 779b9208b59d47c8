// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import org.treehaul.core.annotation.Internal;

/** Formats numbers for messages, the same in every locale. */
@Internal
public final class Amounts {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Amounts() {}

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
        return (unit == 0 ? Long.toString(number) : tenths(value)) + " " + UNITS[unit];
    }

    /** Returns a number with one decimal. */
    public static String tenths(double value) {
        long tenths = Math.round(value * 10);
        return tenths / 10 + "." + tenths % 10;
    }
}
