// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import java.util.List;
import java.util.OptionalLong;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;

/**
 * A difference of one kind between the entries with the same path.
 *
 * @param kind the kind of difference
 * @param path path of the entry below both roots
 * @param a the value in the first tree, printable; empty if the entry does not exist there
 * @param b the value in the second tree, printable; empty if the entry does not exist there
 * @param offset for {@link DifferenceKind#CONTENT} the first byte that differs
 * @param attributes for {@link DifferenceKind#XATTR} and {@link DifferenceKind#ACL} the attributes that differ
 */
public record Difference(DifferenceKind kind, TreePath path, String a, String b, OptionalLong offset,
        List<ByteString> attributes) {

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
}
