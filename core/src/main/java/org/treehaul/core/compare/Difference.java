// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A difference of one kind between the entries with the same path.
 *
 * @param kind the kind of difference
 * @param path path of the entry below both roots
 * @param a the value in the first tree, printable; empty if the entry does not exist there
 * @param b the value in the second tree, printable; empty if the entry does not exist there
 * @param offset for {@link DifferenceKind#CONTENT} the first byte that differs, counted from 0; empty for other kinds
 * @param attributes for {@link DifferenceKind#XATTR} and {@link DifferenceKind#ACL} the attributes that differ
 */
public record Difference(DifferenceKind kind, TreePath path, String a, String b, OptionalLong offset,
        List<ByteString> attributes) {

    // Seconds since 1970 and nanoseconds, as in JSON.
    private static final Pattern TIME = Pattern.compile("(-?\\d+)\\.(\\d{9})");
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);
    private static final long FIRST_SECOND = Instant.parse("0001-01-02T00:00:00Z").getEpochSecond();
    private static final long LAST_SECOND = Instant.parse("9999-12-30T00:00:00Z").getEpochSecond();

    public Difference {
        attributes = List.copyOf(attributes);
    }

    /** Returns a difference that is described completely by two values. */
    public static Difference of(DifferenceKind kind, TreePath path, String a, String b) {
        return new Difference(kind, path, a, b, OptionalLong.empty(), List.of());
    }

    /** Returns a difference of content that begins at an offset. */
    public static Difference ofContent(TreePath path, long offset) {
        return new Difference(DifferenceKind.CONTENT, path, "", "", OptionalLong.of(offset), List.of());
    }

    /** Returns a difference of extended attributes or ACLs. */
    public static Difference ofAttributes(DifferenceKind kind, TreePath path, String a, String b,
            List<ByteString> attributes) {
        return new Difference(kind, path, a, b, OptionalLong.empty(), attributes);
    }

    /** Returns this difference with the two trees exchanged. */
    public Difference mirrored() {
        DifferenceKind other = switch (kind) {
            case ONLY_IN_A -> DifferenceKind.ONLY_IN_B;
            case ONLY_IN_B -> DifferenceKind.ONLY_IN_A;
            default -> kind;
        };
        return new Difference(other, path, b, a, offset, attributes);
    }

    /** Returns the difference as one line for users, printable. */
    @Override
    public String toString() {
        return switch (kind) {
            case ONLY_IN_A -> path + ": only in A (" + a + ")";
            case ONLY_IN_B -> path + ": only in B (" + b + ")";
            case CONTENT -> path + ": content differs at byte " + offset.orElse(0);
            default -> path + ": " + kind.label() + " " + a + " | " + b;
        };
    }

    /**
     * Returns the difference as one line for users, like {@link #toString}, but with the side of each value, and with
     * times as local dates.
     *
     * @param zone the zone of the dates
     */
    @Internal
    public String line(ZoneId zone) {
        return switch (kind) {
            case ONLY_IN_A, ONLY_IN_B, CONTENT -> toString();
            default -> path + ": " + values(" (A)", " (B)", zone);
        };
    }

    /**
     * Returns the kind and the two values: times as local dates, with nanoseconds only if the seconds are equal. Times
     * outside the years 1 to 9999, which some file systems store, remain numbers.
     *
     * @param inFirst follows the value in the first tree
     * @param inSecond follows the value in the second tree
     * @param zone the zone of the dates
     */
    @Internal
    public String values(String inFirst, String inSecond, ZoneId zone) {
        Matcher first = TIME.matcher(a);
        Matcher second = TIME.matcher(b);
        boolean areDates = isTime() && first.matches() && second.matches() && isDate(first) && isDate(second);
        boolean hasFraction = areDates && first.group(1).equals(second.group(1));
        return kind.label() + " " + (areDates ? date(first, hasFraction, zone) : a) + inFirst + " | "
                + (areDates ? date(second, hasFraction, zone) : b) + inSecond;
    }

    private boolean isTime() {
        return switch (kind) {
            case MTIME, ATIME, CTIME, BTIME -> true;
            default -> false;
        };
    }

    // The number may have more digits than a long: statx has 64 bits, but the text is not limited.
    private static boolean isDate(Matcher time) {
        String seconds = time.group(1);
        return seconds.length() <= 12 && Long.parseLong(seconds) >= FIRST_SECOND
                && Long.parseLong(seconds) <= LAST_SECOND;
    }

    private static String date(Matcher time, boolean hasFraction, ZoneId zone) {
        return SECONDS.format(Instant.ofEpochSecond(Long.parseLong(time.group(1))).atZone(zone))
                + (hasFraction ? "." + time.group(2) : "");
    }
}
