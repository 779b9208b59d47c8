// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of difference between two entries with the same path. */
public enum DifferenceKind {
    /** The entry is only in the first tree; a directory represents everything below it. */
    ONLY_IN_A("only-in-a"),
    /** The entry is only in the second tree; a directory represents everything below it. */
    ONLY_IN_B("only-in-b"),
    /** The entries are of different kinds, such as a directory and a regular file. Then nothing else is compared. */
    KIND("kind"),
    /** The number of bytes of regular files. */
    SIZE("size"),
    /** The permission bits with set-id and sticky bits; not for symbolic links, which have none. */
    MODE("mode"),
    /** The numeric owner. */
    OWNER("owner"),
    /** The numeric group. */
    GROUP("group"),
    /** The time of the last change of the data. */
    MTIME("mtime"),
    /** The time of the last access. Compared only on request, because comparing changes it. */
    ATIME("atime"),
    /** The time of the last change of the status. Compared only on request, because it cannot be set. */
    CTIME("ctime"),
    /** The birth time of the entry. Compared only on request, because it cannot be set. */
    BTIME("btime"),
    /** The target of a symbolic link. */
    LINK_TARGET("target"),
    /** The set of entries in the tree that are names of the same file. Links outside the tree do not matter. */
    HARD_LINKS("links"),
    /** The device that a block or character special file represents. */
    DEVICE("device"),
    /** The extended attributes, names or values. */
    XATTR("xattr"),
    /** The access ACL or the default ACL. */
    ACL("acl"),
    /** The data of regular files. Compared only on request, because all data must be read. */
    CONTENT("content");

    /** Words that denote several kinds. */
    private static final Map<String, Set<DifferenceKind>> GROUPS = Map.of("times",
            EnumSet.of(MTIME, ATIME, CTIME, BTIME), "ownership", EnumSet.of(OWNER, GROUP));

    private final String label;

    DifferenceKind(String label) {
        this.label = label;
    }

    /** Returns the lower-case word for this kind in options and output. */
    public String label() {
        return label;
    }

    /**
     * Parses a comma-separated list, as {@code --ignore} takes it: labels of kinds, {@code times} for all four times,
     * {@code ownership} for owner and group.
     *
     * @throws IllegalArgumentException if a word is unknown; the message names it and lists all known words
     */
    public static Set<DifferenceKind> parse(String words) {
        Set<DifferenceKind> kinds = EnumSet.noneOf(DifferenceKind.class);
        for (String part : words.split(",", -1)) {
            String word = part.strip().toLowerCase(Locale.ROOT);
            Set<DifferenceKind> group = GROUPS.get(word);
            if (group != null) {
                kinds.addAll(group);
            } else {
                kinds.add(ofWord(word));
            }
        }
        return Collections.unmodifiableSet(kinds);
    }

    private static DifferenceKind ofWord(String word) {
        for (DifferenceKind kind : values()) {
            // Entries of different kinds have nothing else to compare.
            if (kind != KIND && kind.label.equals(word)) {
                return kind;
            }
        }
        String known = Arrays.stream(values())
                .filter(k -> k != KIND)
                .map(DifferenceKind::label)
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "'" + word + "' cannot be compared; choose from " + known + ", times, ownership");
    }
}
