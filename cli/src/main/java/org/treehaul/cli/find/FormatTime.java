// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.SignStyle;
import java.time.temporal.ChronoField;
import java.util.Locale;
import java.util.Map;

import org.treehaul.core.entry.Timestamp;

/** Times as {@code find -printf} (GNU findutils) prints them in the C locale, in the time zone of this machine. */
final class FormatTime {

    /** The letters of the parts of a time. */
    static final String KNOWN = "@ + a b d D e F h H I j m M p S T y Y Z";

    // GNU find prints ten digits: nanoseconds and a zero.
    private static final String SECONDS = "ss.SSSSSSSSS'0'";

    private static final Map<Character, DateTimeFormatter> FORMATS = Map.ofEntries(
            Map.entry('+', withYear("", 1, "-MM-dd+HH:mm:" + SECONDS)), Map.entry('a', format("EEE")),
            Map.entry('b', format("MMM")), Map.entry('h', format("MMM")), Map.entry('d', format("dd")),
            Map.entry('e', format("ppd")), Map.entry('D', format("MM/dd/yy")),
            Map.entry('F', withYear("", 1, "-MM-dd")), Map.entry('H', format("HH")), Map.entry('I', format("hh")),
            Map.entry('j', format("DDD")), Map.entry('m', format("MM")), Map.entry('M', format("mm")),
            Map.entry('p', format("a")), Map.entry('S', format(SECONDS)), Map.entry('T', format("HH:mm:" + SECONDS)),
            Map.entry('y', format("yy")), Map.entry('Y', withYear("", 1, "")), Map.entry('Z', format("zzz")));
    private static final DateTimeFormatter WHOLE = withYear("EEE MMM ppd HH:mm:" + SECONDS + " ", 4, "");

    private FormatTime() {}

    private static DateTimeFormatter format(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH);
    }

    // A pattern with uuuu puts a plus sign before years after 9999.
    private static DateTimeFormatter withYear(String before, int digits, String after) {
        return new DateTimeFormatterBuilder().appendPattern(before)
                .appendValue(ChronoField.YEAR, digits, 10, SignStyle.NORMAL)
                .appendPattern(after)
                .toFormatter(Locale.ENGLISH);
    }

    static boolean isKnown(char letter) {
        return letter == '@' || FORMATS.containsKey(letter);
    }

    /**
     * Returns a time as text.
     *
     * @param part the letter of a part, or 0 for the form of ctime(3)
     */
    static String print(Timestamp time, char part) {
        if (part == '@') {
            return time + "0";
        }
        // An Instant ends at the year 10^9.
        long seconds = Math.clamp(time.seconds(), Instant.MIN.getEpochSecond() + 86_400 * 366L,
                Instant.MAX.getEpochSecond() - 86_400 * 366L);
        ZonedDateTime zoned = Instant.ofEpochSecond(seconds, time.nanos()).atZone(ZoneId.systemDefault());
        return FORMATS.getOrDefault(part, WHOLE).format(zoned);
    }
}
