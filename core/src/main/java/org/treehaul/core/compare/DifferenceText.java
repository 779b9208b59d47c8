// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;

/**
 * Formats a difference for people: times as local dates, with as many digits as the two times need to differ. Times
 * outside the years 1 to 9999, which some file systems store, remain numbers.
 */
@Internal
public final class DifferenceText {

    // Seconds since 1970 and nanoseconds, as in JSON.
    private static final Pattern TIME = Pattern.compile("(-?\\d+)\\.(\\d{9})");
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private static final long FIRST_SECOND = Instant.parse("0001-01-02T00:00:00Z").getEpochSecond();
    private static final long LAST_SECOND = Instant.parse("9999-12-30T00:00:00Z").getEpochSecond();

    private DifferenceText() {}

    /** Returns the line for a difference, with times in the local zone. */
    public static String of(Difference difference) {
        return of(difference, ZoneId.systemDefault());
    }

    static String of(Difference difference, ZoneId zone) {
        return switch (difference.kind()) {
            case MTIME, ATIME, CTIME, BTIME -> difference.path() + ": " + values(difference, "", "", zone);
            default -> difference.toString();
        };
    }

    /**
     * Returns the kind of a difference and its two values, with times in the local zone.
     *
     * @param inFirst follows the value in the first tree
     * @param inSecond follows the value in the second tree
     */
    public static String values(Difference difference, String inFirst, String inSecond) {
        return values(difference, inFirst, inSecond, ZoneId.systemDefault());
    }

    static String values(Difference difference, String inFirst, String inSecond, ZoneId zone) {
        String a = difference.a();
        String b = difference.b();
        Matcher first = TIME.matcher(a);
        Matcher second = TIME.matcher(b);
        boolean isTime = switch (difference.kind()) {
            case MTIME, ATIME, CTIME, BTIME -> true;
            default -> false;
        };
        if (isTime && first.matches() && second.matches() && isDate(first) && isDate(second)) {
            boolean hasFraction = first.group(1).equals(second.group(1));
            a = time(first, hasFraction, zone);
            b = time(second, hasFraction, zone);
        }
        return difference.kind().label() + " " + a + inFirst + " | " + b + inSecond;
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
