// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.io.IOException;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;

/** Parses and prints the values of numeric fields. */
final class FieldValues {

    private static final Pattern AGE = Pattern.compile("-(\\d{1,9})([smhdwy])");
    private static final Pattern OLDER = Pattern.compile("(\\d{1,9})([smhdwy])");
    private static final Pattern MOMENT = Pattern.compile("@(-?\\d{1,19})(?:\\.(\\d{1,9}))?");
    private static final Pattern DATE = Pattern.compile("(\\d{4})(?:-(\\d\\d)(?:-(\\d\\d)(?:[T ](\\d\\d):(\\d\\d)"
            + "(?::(\\d\\d)(?:\\.(\\d{1,9}))?)?(Z|[+-]\\d\\d:?\\d\\d)?)?)?)?");
    private static final ChronoUnit[] PRECISIONS = {ChronoUnit.YEARS, ChronoUnit.MONTHS, ChronoUnit.DAYS,
            ChronoUnit.HOURS, ChronoUnit.MINUTES, ChronoUnit.SECONDS, ChronoUnit.NANOS};

    private final Accounts accounts;
    private final Clock clock;
    private final FileTimes files;
    private final boolean isIndex;

    FieldValues(ConditionContext context) {
        this.accounts = context.accounts();
        this.clock = context.clock();
        this.files = context.files();
        this.isIndex = context.isIndex();
    }

    /**
     * Parses one value as a range: a number is a range of one, a date the range of that day.
     *
     * @throws IllegalArgumentException when the value is invalid; the message says what is wrong
     */
    NumberSet.Range read(Field field, String text) {
        return switch (field.type()) {
            case KIND -> only(kind(text));
            case SIZE -> only(size(text));
            case COUNT -> only(number(field, text, Long.MAX_VALUE));
            case TIME -> time(text);
            case AGE -> age(text);
            case MODE -> only(octal(text));
            case OWNER -> only(account(field, text, accounts.user(text)));
            case GROUP -> only(account(field, text, accounts.group(text)));
            case LABEL -> only(label(field, text));
            case FLAG -> only(flag(text));
            case TEXT, HASH, FILE, WORD -> throw new IllegalStateException(field.label());
        };
    }

    /**
     * Parses {@code -MODE} and {@code /MODE}, which match many modes, as in find(1); returns null for anything else.
     */
    static @Nullable NumberSet modes(String text) {
        if (text.isEmpty() || text.charAt(0) != '-' && text.charAt(0) != '/') {
            return null;
        }
        boolean all = text.charAt(0) == '-';
        int bits = octal(text.substring(1));
        List<NumberSet.Range> modes = new ArrayList<>();
        for (int mode = 0; mode <= 07777; mode++) {
            // As in find, a mask without bits matches every mode.
            if (all ? (mode & bits) == bits : bits == 0 || (mode & bits) != 0) {
                modes.add(only(mode));
            }
        }
        return NumberSet.of(modes, false);
    }

    private static NumberSet.Range only(long number) {
        return new NumberSet.Range(number, number);
    }

    private static long kind(String text) {
        List<String> words = FileField.KINDS.stream().map(EntryKind::label).toList();
        int kind = words.indexOf(switch (text) {
            // The letters of find -type, and common words.
            case "file", "f" -> EntryKind.REGULAR.label();
            case "dir", "d" -> EntryKind.DIRECTORY.label();
            case "link", "l" -> EntryKind.SYMLINK.label();
            case "pipe", "p" -> EntryKind.FIFO.label();
            case "s" -> EntryKind.SOCKET.label();
            case "b" -> EntryKind.BLOCK.label();
            case "c" -> EntryKind.CHARACTER.label();
            default -> text;
        });
        if (kind < 0) {
            throw new IllegalArgumentException("'" + text + "' is not a kind; use " + String.join(" ", words));
        }
        return kind;
    }

    private static long size(String text) {
        try {
            return Amounts.parseBytes(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a size; write 4096, 64M, 1.5G or 10MB", e);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number of bytes up to 8 EiB", e);
        }
    }

    private static long number(Field field, String text, long most) {
        if (text.matches("\\d{1,19}")) {
            try {
                long number = Long.parseLong(text);
                if (number <= most) {
                    return number;
                }
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + text + "' is too large for " + field.label(), e);
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not a whole number for " + field.label());
    }

    private static long label(Field field, String text) {
        if (text.matches("\\d{1,20}")) {
            try {
                return Long.parseUnsignedLong(text);
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("'" + text + "' is too large for " + field.label(), e);
            }
        }
        throw new IllegalArgumentException("'" + text + "' is not a whole number for " + field.label());
    }

    private static int octal(String text) {
        if (!text.matches("0*[0-7]{1,4}")) {
            throw new IllegalArgumentException("'" + text
                    + "' is not a mode; write it in octal: 0644, -4000 for all of these bits, /022 for any of them");
        }
        return Integer.parseInt(text, 8);
    }

    private static long account(Field field, String text, OptionalLong number) {
        if (number.isPresent()) {
            return number.getAsLong();
        }
        if (text.matches("\\d{1,10}")) {
            return number(field, text, field.domain().high());
        }
        throw new IllegalArgumentException("there is no " + (field.type() == FileField.Type.OWNER ? "user" : "group")
                + " '" + text + "' on this machine; a number works too");
    }

    private static long flag(String text) {
        return switch (text) {
            case "yes" -> 1;
            case "no" -> 0;
            default -> throw new IllegalArgumentException("'" + text + "' is neither yes nor no");
        };
    }

    private NumberSet.Range time(String text) {
        Matcher moment = MOMENT.matcher(text);
        Matcher age = AGE.matcher(text);
        Matcher date = DATE.matcher(text);
        try {
            if (moment.matches()) {
                long seconds = Long.parseLong(moment.group(1));
                return moment.group(2) == null
                        ? new NumberSet.Range(Timestamp.sinceEpoch(seconds, 0),
                                Timestamp.sinceEpoch(seconds, 999_999_999))
                        : only(Timestamp.sinceEpoch(seconds, fraction(moment.group(2))));
            }
            if (age.matches()) {
                return only(nanos(ago(Long.parseLong(age.group(1)), age.group(2).charAt(0)).toInstant()));
            }
            if (date.matches()) {
                return date(date);
            }
        } catch (DateTimeException | NumberFormatException e) {
            throw new IllegalArgumentException("'" + text + "' is not a time: there is no such date or time of day", e);
        }
        throw new IllegalArgumentException("'" + text + "' is not a time; write 2025-01-31, 2025-01-31T12:00, "
                + "-7d for seven days ago (s m h d w y), or @ and seconds since 1970");
    }

    // The times of the entries of an age: 7d is an age of at least seven and less than eight days.
    private NumberSet.Range age(String text) {
        Matcher age = OLDER.matcher(text);
        if (!age.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not an age; write 90s, 5m, 12h, 7d, 2w or 1y");
        }
        long count = Long.parseLong(age.group(1));
        char unit = age.group(2).charAt(0);
        long newest = nanos(ago(count, unit).toInstant());
        long next = nanos(ago(count + 1, unit).toInstant());
        return new NumberSet.Range(next < newest ? next + 1 : newest, newest);
    }

    /** Returns the times after that of a file. */
    NumberSet newerThan(ByteString file) {
        if (file.length() == 0) {
            throw new IllegalArgumentException("no value for newer-than");
        }
        try {
            Timestamp mtime = files.mtime(file);
            long time = Timestamp.sinceEpoch(mtime.seconds(), mtime.nanos());
            return time == Long.MAX_VALUE
                    ? new NumberSet(List.of(), false)
                    : NumberSet.of(new NumberSet.Range(time + 1, Long.MAX_VALUE));
        } catch (IOException e) {
            throw new IllegalArgumentException("cannot read the time of '" + file + "': " + e.getMessage(), e);
        }
    }

    /** Returns whether the entries are those of an index. */
    boolean isIndex() {
        return isIndex;
    }

    private ZonedDateTime ago(long count, char unit) {
        ZonedDateTime now = ZonedDateTime.now(clock);
        return switch (unit) {
            case 's' -> now.minusSeconds(count);
            case 'm' -> now.minusMinutes(count);
            case 'h' -> now.minusHours(count);
            // A day is 24 hours, as in find and fd, even when the clocks change in between.
            case 'd' -> now.minusHours(Math.multiplyExact(24L, count));
            case 'w' -> now.minusHours(Math.multiplyExact(24L * 7, count));
            default -> now.minusYears(count);
        };
    }

    private NumberSet.Range date(Matcher parts) {
        int precision = 0;
        int[] numbers = {0, 1, 1, 0, 0, 0, 0};
        for (int i = 0; i < numbers.length; i++) {
            String digits = parts.group(i + 1);
            if (digits != null) {
                numbers[i] = i == 6 ? fraction(digits) : Integer.parseInt(digits);
                precision = i;
            }
        }
        LocalDateTime first = LocalDateTime.of(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5],
                numbers[6]);
        String offset = parts.group(8);
        ZoneId zone = offset == null ? clock.getZone() : ZoneOffset.of(offset);
        Instant start = first.atZone(zone).toInstant();
        Instant end = first.plus(1, PRECISIONS[precision]).atZone(zone).toInstant().minusNanos(1);
        return new NumberSet.Range(nanos(start), Math.max(nanos(start), nanos(end)));
    }

    private static int fraction(String digits) {
        return Integer.parseInt((digits + "00000000").substring(0, 9));
    }

    private static long nanos(Instant instant) {
        return Timestamp.sinceEpoch(instant.getEpochSecond(), instant.getNano());
    }

    /** Returns the text that {@link #read} parses to this number. */
    static String print(FileField.Type type, long number) {
        return switch (type) {
            case KIND -> FileField.KINDS.get((int) number).label();
            case MODE -> "0" + Long.toOctalString(number);
            case TIME -> "@" + time(number);
            case LABEL -> Long.toUnsignedString(number);
            case FLAG -> number == 0 ? "no" : "yes";
            default -> Long.toString(number);
        };
    }

    /** Formats nanoseconds since 1970 as {@code seconds.nanoseconds}. */
    static String time(long nanos) {
        return Timestamp.ofNanos(nanos).toString();
    }
}
