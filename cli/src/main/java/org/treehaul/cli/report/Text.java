// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

/** Formats numbers for users, the same in every locale. */
public final class Text {

    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Text() {}

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
