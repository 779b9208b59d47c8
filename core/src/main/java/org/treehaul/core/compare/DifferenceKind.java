// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** In what two entries of the same path can differ. */
public enum DifferenceKind {
    /** The entry is in the first tree only; for a directory that stands for all below it. */
    ONLY_IN_A("only-in-a"),
    /** The entry is in the second tree only; for a directory that stands for all below it. */
    ONLY_IN_B("only-in-b"),
    /** One is a directory and the other a regular file, or the like. Nothing else is compared then. */
    KIND("kind"),
    /** The number of bytes of regular files. */
    SIZE("size"),
    /** The permission bits with set-id and sticky bits; not of symbolic links, which have none. */
    MODE("mode"),
    /** The numeric owner. */
    OWNER("owner"),
    /** The numeric group. */
    GROUP("group"),
    /** The time of the last change of the data. */
    MTIME("mtime"),
    /** The time of the last access. Compared only on request: looking changes it. */
    ATIME("atime"),
    /** The time of the last change of the status. Compared only on request: nobody can set it. */
    CTIME("ctime"),
    /** The time the entry was made. Compared only on request: nobody can set it. */
    BTIME("btime"),
    /** Where a symbolic link points. */
    LINK_TARGET("target"),
    /** Which entries of the tree are names of one file. Links that lead out of the tree do not matter. */
    HARD_LINKS("links"),
    /** The device that a block or character device stands for. */
    DEVICE("device"),
    /** The extended attributes, names or values. */
    XATTR("xattr"),
    /** The access ACL or the default ACL. */
    ACL("acl"),
    /** The data of regular files. Compared only on request: it takes reading all of it. */
    CONTENT("content");

    /** Words that stand for several kinds. */
    private static final Map<String, Set<DifferenceKind>> GROUPS = Map.of("times",
            EnumSet.of(MTIME, ATIME, CTIME, BTIME), "ownership", EnumSet.of(OWNER, GROUP));

    private final String label;

    DifferenceKind(String label) {
        this.label = label;
    }

    /** Returns the lower-case word that options and output use for this kind. */
    public String label() {
        return label;
    }

    /**
     * Reads words with commas between them, as {@code --ignore} takes them: labels of kinds, {@code times} for all four
     * times, {@code ownership} for owner and group.
     *
     * @throws IllegalArgumentException when a word is unknown; the message names it and all that are known
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
            // Entries of two kinds have nothing that could be compared instead.
            if (kind != KIND && kind.label.equals(word)) {
                return kind;
            }
        }
        String known = Arrays.stream(values())
                .filter(k -> k != KIND)
                .map(DifferenceKind::label)
                .collect(Collectors.joining(", "));
        throw new IllegalArgumentException(
                "'" + word + "' is nothing that is compared; known are " + known + ", times, ownership");
    }
}
