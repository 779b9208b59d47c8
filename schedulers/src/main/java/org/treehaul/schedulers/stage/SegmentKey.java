// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names one segment of a file in one generation. A file gets another generation when it is truncated or renamed, and
 * another id when it is made anew, so that a late request for its earlier state finds nothing to change. Immutable.
 *
 * @param file the id of the file
 * @param generation the generation of the file, 1 or more
 * @param index the number of the segment in the file, 0 to {@link StripeLayout#MOST_SEGMENTS} - 1
 */
public record SegmentKey(UUID file, long generation, int index) {

    private static final Pattern NAME = Pattern
            .compile("([0-9a-f]{16})([0-9a-f]{16})\\.([1-9][0-9]{0,18})\\.(0|[1-9][0-9]{0,4})");

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if the generation or the index is out of its range
     */
    public SegmentKey {
        Objects.requireNonNull(file);
        if (generation < 1 || index < 0 || index >= StripeLayout.MOST_SEGMENTS) {
            throw new IllegalArgumentException("generation " + generation + ", segment " + index);
        }
    }

    /** Returns the key of the same segment in another generation. */
    public SegmentKey in(long other) {
        return new SegmentKey(file, other, index);
    }

    /** Returns the name under which a server keeps the segment: digits, letters from a to f and two dots. */
    public String name() {
        // Not by a format, which writes numbers with the digits of the user's language.
        HexFormat hex = HexFormat.of();
        return hex.toHexDigits(file.getMostSignificantBits()) + hex.toHexDigits(file.getLeastSignificantBits()) + "."
                + generation + "." + index;
    }

    /** Returns the key with a name; empty if the name is not that of a segment. */
    public static Optional<SegmentKey> parse(String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new SegmentKey(
                    new UUID(Long.parseUnsignedLong(parts.group(1), 16), Long.parseUnsignedLong(parts.group(2), 16)),
                    Long.parseLong(parts.group(3)), Integer.parseInt(parts.group(4))));
        } catch (IllegalArgumentException outOfRange) {
            return Optional.empty();
        }
    }

    /** Returns {@link #name()}. */
    @Override
    public String toString() {
        return name();
    }
}
