// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.treehaul.core.entry.Glob;

/**
 * One pattern of gitignore(5).
 *
 * <p>
 * Immutable.
 */
final class PatternRule {

    // Matches any number of names: a segment of two or more asterisks.
    private static final Glob ANY_NAMES = Glob.of(new byte[]{'*'});

    private final boolean isExclude;
    private final boolean isDirectoryOnly;
    // Whether the pattern is compared with names alone, at any depth.
    private final boolean isNameOnly;
    private final List<Glob> segments;

    private PatternRule(boolean isExclude, boolean isDirectoryOnly, boolean isNameOnly, List<Glob> segments) {
        this.isExclude = isExclude;
        this.isDirectoryOnly = isDirectoryOnly;
        this.isNameOnly = isNameOnly;
        this.segments = List.copyOf(segments);
    }

    /**
     * Returns the pattern in a line of a file: without the CR of a line ended by CR LF, and without spaces at the end
     * that no backslash quotes; empty for a comment and a blank line.
     */
    static byte[] patternOf(byte[] line) {
        if (line.length == 0 || line[0] == '#') {
            return new byte[0];
        }
        int end = line[line.length - 1] == '\r' ? line.length - 1 : line.length;
        int keep = 0;
        for (int i = 0; i < end; i++) {
            if (line[i] == '\\') {
                i++;
                keep = Math.min(i + 1, end);
            } else if (line[i] != ' ') {
                keep = i + 1;
            }
        }
        return Arrays.copyOf(line, keep);
    }

    /**
     * Compiles a pattern. Git accepts a pattern that nothing can match; here it is an error, because the user of a copy
     * would not notice it.
     *
     * @throws IllegalArgumentException for a pattern that no path can match
     */
    static PatternRule parse(byte[] pattern) {
        boolean isNegated = pattern.length > 0 && pattern[0] == '!';
        byte[] body = isNegated ? Arrays.copyOfRange(pattern, 1, pattern.length) : pattern;
        List<byte[]> names = split(body);
        boolean isAnchored = names.size() > 1 && names.getFirst().length == 0;
        boolean isDirectoryOnly = names.size() > 1 && names.getLast().length == 0;
        List<byte[]> inner = names.subList(isAnchored ? 1 : 0, names.size() - (isDirectoryOnly ? 1 : 0));
        if (inner.isEmpty() || inner.size() == 1 && inner.getFirst().length == 0) {
            throw new IllegalArgumentException("it matches nothing, because it contains no name");
        }
        List<Glob> segments = new ArrayList<>();
        for (byte[] name : inner) {
            if (name.length == 0) {
                throw new IllegalArgumentException("it matches nothing, because no path contains two slashes in a row");
            }
            segments.add(isStars(name) ? ANY_NAMES : Glob.of(name));
        }
        return new PatternRule(!isNegated, isDirectoryOnly, !isAnchored && inner.size() == 1, segments);
    }

    private static boolean isStars(byte[] name) {
        boolean isStars = name.length > 1;
        for (byte b : name) {
            isStars &= b == '*';
        }
        return isStars;
    }

    // Splits at slashes, with a backslash before them or not.
    private static List<byte[]> split(byte[] body) {
        List<byte[]> names = new ArrayList<>();
        int from = 0;
        for (int i = 0; i < body.length; i++) {
            boolean isQuoted = body[i] == '\\' && i + 1 < body.length;
            int slash = isQuoted ? i + 1 : i;
            if (body[slash] == '/') {
                names.add(Arrays.copyOfRange(body, from, i));
                from = slash + 1;
            }
            i = slash;
        }
        names.add(Arrays.copyOfRange(body, from, body.length));
        return names;
    }

    /** Returns whether this rule excludes the entries that it matches, rather than includes them. */
    boolean isExclude() {
        return isExclude;
    }

    /** Returns whether this rule compares names alone, at any depth, rather than paths. */
    boolean isNameOnly() {
        return isNameOnly;
    }

    /** Returns whether it matches an entry's path, or an entry's name if this rule {@link #isNameOnly}. */
    boolean matches(byte[] path, boolean isDirectory) {
        if (isDirectoryOnly && !isDirectory) {
            return false;
        }
        int segment = 0;
        int from = 0;
        int anyNames = -1;
        int anyNamesEnd = 0;
        while (from < path.length) {
            int to = endOfName(path, from);
            Glob glob = segment < segments.size() ? segments.get(segment) : null;
            if (glob == ANY_NAMES) {
                if (++segment == segments.size()) {
                    return true;
                }
                anyNames = segment;
                anyNamesEnd = from;
            } else if (glob != null && glob.matches(path, from, to)) {
                segment++;
                from = to + 1;
            } else if (anyNames >= 0) {
                // Only the last segment for any names can take one name more, as in Glob.
                segment = anyNames;
                from = endOfName(path, anyNamesEnd) + 1;
                anyNamesEnd = from;
            } else {
                return false;
            }
        }
        return segment == segments.size();
    }

    private static int endOfName(byte[] path, int from) {
        int end = from;
        while (end < path.length && path[end] != '/') {
            end++;
        }
        return end;
    }
}
