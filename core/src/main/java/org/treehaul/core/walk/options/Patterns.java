// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.options;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * Exclude and include patterns with the syntax and meaning of gitignore(5), matched against the paths below the roots.
 *
 * <p>
 * All patterns form one list, in the order in which they are added. The last one that matches an entry decides: an
 * exclude pattern excludes it, an include pattern, which is the same as an exclude pattern with {@code !} before it,
 * includes it. An entry that no pattern matches is included, so an include pattern has an effect only after an exclude
 * pattern. The walk does not enter an excluded directory, so nothing below it can be included again. To walk only some
 * files, exclude {@code *}, include {@code *}{@code /} and then those files.
 *
 * <p>
 * A pattern without a slash, or with one at its end only, matches names at any depth; a pattern with another slash
 * matches paths from the root. A slash at the end restricts it to directories; {@code **} matches any number of
 * directories. Names are matched byte by byte, so {@code ?} matches a single byte of a multi-byte character.
 *
 * <p>
 * Immutable.
 */
public final class Patterns implements EntryFilter {

    // The UTF-8 byte order mark, which git skips at the beginning of a file.
    private static final ByteString BYTE_ORDER_MARK = ByteString.of("\uFEFF");

    private final PatternRule[] rules;
    private final List<ByteString> texts;
    private final boolean needsPaths;

    private Patterns(List<PatternRule> rules, List<ByteString> texts) {
        this.texts = List.copyOf(texts);
        this.rules = rules.reversed().toArray(PatternRule[]::new);
        this.needsPaths = rules.stream().anyMatch(rule -> !rule.isNameOnly());
    }

    /** Returns a builder of an empty list. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the patterns in their order, include patterns with a leading {@code !}; {@link Builder#exclude} accepts
     * them.
     */
    public List<ByteString> texts() {
        return texts;
    }

    @Override
    public boolean excludes(TreePath path, boolean isDirectory) {
        byte[] name = path.nameBytes();
        byte[] whole = needsPaths ? path.toBytes() : name;
        for (PatternRule rule : rules) {
            if (rule.matches(rule.isNameOnly() ? name : whole, isDirectory)) {
                return rule.isExclude();
            }
        }
        return false;
    }

    /** Collects patterns in their order. Not safe for several threads. */
    public static final class Builder {

        private final List<PatternRule> rules = new ArrayList<>();
        private final List<ByteString> texts = new ArrayList<>();

        private Builder() {}

        /**
         * Adds a pattern that excludes, or includes if it begins with {@code !}. The pattern is not parsed as a line of
         * a file: {@code #} and trailing spaces are part of it.
         *
         * @throws IllegalArgumentException if the pattern could never match anything; the message gives the reason
         */
        public Builder exclude(ByteString pattern) {
            return add(pattern.toBytes(), "pattern");
        }

        /**
         * Adds a pattern that includes entries that an earlier pattern excludes.
         *
         * @throws IllegalArgumentException if the pattern could never match anything; the message gives the reason
         */
        public Builder include(ByteString pattern) {
            byte[] bytes = pattern.toBytes();
            if (bytes.length > 0 && bytes[0] == '!') {
                throw new IllegalArgumentException("pattern '" + pattern
                        + "': an include pattern cannot be negated; use an exclude pattern without the '!'");
            }
            byte[] negated = new byte[bytes.length + 1];
            negated[0] = '!';
            System.arraycopy(bytes, 0, negated, 1, bytes.length);
            return add(negated, "pattern");
        }

        /**
         * Adds the patterns of a file in the format of gitignore(5): one per line, with comments and blank lines.
         *
         * @param in the file's content; not closed
         * @param name the name of the file in messages
         * @throws IllegalArgumentException if a pattern could never match anything; the message names file and line
         */
        public Builder excludeFrom(InputStream in, String name) throws IOException {
            RecordReader lines = new RecordReader(in, '\n', name);
            byte @Nullable [] line = lines.next();
            while (line != null) {
                byte[] pattern = PatternRule.patternOf(lines.number() == 1 ? withoutMark(line) : line);
                if (pattern.length > 0) {
                    add(pattern, lines.where());
                }
                line = lines.next();
            }
            return this;
        }

        private static byte[] withoutMark(byte[] line) {
            int length = BYTE_ORDER_MARK.length();
            boolean isMarked = line.length >= length
                    && ByteString.of(Arrays.copyOf(line, length)).equals(BYTE_ORDER_MARK);
            return isMarked ? Arrays.copyOfRange(line, length, line.length) : line;
        }

        private Builder add(byte[] pattern, String where) {
            try {
                rules.add(PatternRule.parse(pattern));
                texts.add(ByteString.of(pattern));
                return this;
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(where + " '" + ByteString.escape(pattern) + "': " + e.getMessage(),
                        e);
            }
        }

        /** Returns the filter; without patterns {@link EntryFilter#none()}, which costs nothing. */
        public EntryFilter build() {
            return rules.isEmpty() ? EntryFilter.none() : new Patterns(rules, texts);
        }
    }
}
