// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

import org.treehaul.core.entry.Amounts;

/** Formats numbers for users, the same in every locale. */
public final class Text {

    private static final long HALF_SECOND = 500;

    private static final DateTimeFormatter DATE_TIME = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("HH:mm:ss", Locale.ROOT);

    private Text() {}

    /** Returns a date and time in the local zone, such as {@code 2026-11-21 18:16:27}. */
    public static String dateTime(Instant time) {
        return DATE_TIME.format(time.atZone(ZoneId.systemDefault()));
    }

    /** Returns a time of day in the local zone, such as {@code 18:16:27}. */
    public static String timeOfDay(Instant time) {
        return TIME.format(time.atZone(ZoneId.systemDefault()));
    }

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

    /** Returns a duration as {@code 7 s}, {@code 12 min 34 s}, {@code 3 h 7 min} or {@code 2 d 3 h}. */
    public static String duration(long seconds) {
        long minutes = seconds / 60;
        long hours = minutes / 60;
        if (hours >= 24) {
            return parts(hours / 24, " d", hours % 24, " h");
        }
        return hours > 0
                ? parts(hours, " h", minutes % 60, " min")
                : minutes > 0 ? parts(minutes, " min", seconds % 60, " s") : seconds + " s";
    }

    /** Returns a duration, rounded to seconds, as {@link #duration(long)} does. */
    public static String duration(Duration duration) {
        return duration(duration.plusMillis(HALF_SECOND).toSeconds());
    }

    private static String parts(long large, String unit, long small, String smallUnit) {
        return large + unit + (small == 0 ? "" : " " + small + smallUnit);
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
