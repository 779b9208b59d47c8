// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import org.treehaul.core.entry.Amounts;

/** Formats numbers for users, the same in every locale. */
public final class Text {

    private Text() {}

    /** Returns a number with commas between the thousands. */
    public static String count(long number) {
        return Amounts.count(number);
    }

    /** Returns a number with the noun that agrees with it, such as {@code 1 entry} and {@code 2 entries}. */
    public static String count(long number, String one, String many) {
        return count(number) + " " + (number == 1 ? one : many);
    }

    /** Returns a number of bytes in the unit that leaves one to four digits, such as {@code 1.5 GiB}. */
    public static String bytes(long number) {
        return Amounts.bytes(number);
    }

    /** Returns a number with one decimal. */
    public static String tenths(double value) {
        return Amounts.tenths(value);
    }

    /** Returns a duration as {@code 0:07}, {@code 12:34}, {@code 3:07:00} or {@code 2d 03:07}. */
    public static String duration(long seconds) {
        long minutes = seconds / 60;
        long hours = minutes / 60;
        if (hours >= 24) {
            return hours / 24 + "d " + two(hours % 24) + ":" + two(minutes % 60);
        }
        String rest = ":" + two(seconds % 60);
        return hours == 0 ? minutes + rest : hours + ":" + two(minutes % 60) + rest;
    }

    private static String two(long number) {
        return number < 10 ? "0" + number : Long.toString(number);
    }

    /** Returns the text right-aligned in a column, padded with spaces. */
    public static String right(String text, int width) {
        return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    /** Returns the text left-aligned in a column, padded with spaces. */
    public static String left(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }
}
