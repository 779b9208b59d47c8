// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.tree;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.compare.Difference;

/**
 * Formats a difference for people: times as local dates, with as many digits as the two times need to differ. Times
 * outside the years 1 to 9999, which some file systems store, remain numbers.
 */
final class DifferenceText {

    // Seconds since 1970 and nanoseconds, as in JSON.
    private static final Pattern TIME = Pattern.compile("(-?\\d+)\\.(\\d{9})");
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private static final long FIRST_SECOND = Instant.parse("0001-01-02T00:00:00Z").getEpochSecond();
    private static final long LAST_SECOND = Instant.parse("9999-12-30T00:00:00Z").getEpochSecond();

    private DifferenceText() {}

    /** Returns the line for a difference. */
    static String of(Difference difference) {
        return of(difference, ZoneId.systemDefault());
    }

    static String of(Difference difference, ZoneId zone) {
        return switch (difference.kind()) {
            case MTIME, ATIME, CTIME, BTIME -> ofTimes(difference, zone);
            default -> difference.toString();
        };
    }

    private static String ofTimes(Difference difference, ZoneId zone) {
        Matcher a = TIME.matcher(difference.a());
        Matcher b = TIME.matcher(difference.b());
        if (!a.matches() || !b.matches() || !isDate(a) || !isDate(b)) {
            return difference.toString();
        }
        boolean hasFraction = a.group(1).equals(b.group(1));
        return difference.path() + ": " + difference.kind().label() + " " + time(a, hasFraction, zone) + " | "
                + time(b, hasFraction, zone);
    }

    // The number may have more digits than a long: statx has 64 bits, but the text is not limited.
    private static boolean isDate(Matcher time) {
        String seconds = time.group(1);
        return seconds.length() <= 12 && Long.parseLong(seconds) >= FIRST_SECOND
                && Long.parseLong(seconds) <= LAST_SECOND;
    }

    private static String time(Matcher time, boolean hasFraction, ZoneId zone) {
        return SECONDS.format(Instant.ofEpochSecond(Long.parseLong(time.group(1))).atZone(zone))
                + (hasFraction ? "." + time.group(2) : "");
    }
}
