// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Where an entry stands below a root: the names on the way to it, byte-exact. The root itself is the path of no names.
 *
 * <p>
 * Immutable and shared: a path holds its own name and its parent, so the paths of a million siblings hold one copy of
 * what leads to them, and a path of ten thousand names costs no more than its last one. Ordered by unsigned bytes of
 * the names, parents before children.
 */
public final class TreePath implements Comparable<TreePath> {

    private static final TreePath ROOT = new TreePath(null, new byte[0], 0);

    private final @Nullable TreePath parent;
    private final byte[] name;
    private final int depth;

    private TreePath(@Nullable TreePath parent, byte[] name, int depth) {
        this.parent = parent;
        this.name = name;
        this.depth = depth;
    }

    /** Returns the path of the root itself. */
    public static TreePath root() {
        return ROOT;
    }

    /**
     * Returns the path that the bytes spell: names with single slashes between them. Empty bytes spell the root.
     *
     * @throws IllegalArgumentException when a name is empty, {@code .} or {@code ..}, or holds a NUL: such a path could
     *         lead out of the root
     */
    public static TreePath of(byte[] path) {
        TreePath result = ROOT;
        int start = 0;
        for (int i = 0; i <= path.length && path.length > 0; i++) {
            if (i == path.length || path[i] == '/') {
                result = result.child(Arrays.copyOfRange(path, start, i));
                start = i + 1;
            }
        }
        return result;
    }

    /**
     * Returns the path of an entry of this directory. The array becomes the path's own and must not change afterwards.
     *
     * @throws IllegalArgumentException when the name is empty, {@code .} or {@code ..}, or holds a slash or a NUL
     */
    public TreePath child(byte[] childName) {
        if (childName.length == 0 || isDots(childName)) {
            throw new IllegalArgumentException("not a name of an entry: '" + ByteString.escape(childName) + "'");
        }
        for (byte b : childName) {
            if (b == '/' || b == 0) {
                throw new IllegalArgumentException(
                        "a name holds no slash and no NUL: '" + ByteString.escape(childName) + "'");
            }
        }
        return new TreePath(this, childName, depth + 1);
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || name.length == 2 && name[1] == '.');
    }

    /** Returns true for the root itself. */
    public boolean isRoot() {
        return parent == null;
    }

    /** Returns the number of names: 0 for the root, 1 for what stands directly in it. */
    public int depth() {
        return depth;
    }

    /**
     * Returns the path of the directory that this entry stands in.
     *
     * @throws IllegalStateException for the root
     */
    public TreePath parent() {
        if (parent == null) {
            throw new IllegalStateException("the root has no parent");
        }
        return parent;
    }

    /** Returns the last name; empty for the root. */
    public ByteString name() {
        return ByteString.of(name);
    }

    /** Returns a copy of the last name's bytes; empty for the root. */
    public byte[] nameBytes() {
        return name.clone();
    }

    /** Returns the names from the root down. */
    public List<ByteString> names() {
        List<ByteString> names = new ArrayList<>(depth);
        for (TreePath p = this; p.parent != null; p = p.parent) {
            names.add(p.name());
        }
        return names.reversed();
    }

    /**
     * Returns the bytes of the path: the names with slashes between them, without a leading one; empty for the root.
     */
    public byte[] toBytes() {
        int length = -1;
        for (TreePath p = this; p.parent != null; p = p.parent) {
            length = Math.addExact(length, p.name.length + 1);
        }
        byte[] bytes = new byte[Math.max(0, length)];
        int end = bytes.length;
        for (TreePath p = this; p.parent != null; p = p.parent) {
            end -= p.name.length;
            System.arraycopy(p.name, 0, bytes, end, p.name.length);
            if (end > 0) {
                bytes[--end] = '/';
            }
        }
        return bytes;
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof TreePath that) || depth != that.depth) {
            return false;
        }
        TreePath a = this;
        TreePath b = that;
        while (a != b && a.parent != null && b.parent != null) {
            if (!Arrays.equals(a.name, b.name)) {
                return false;
            }
            a = a.parent;
            b = b.parent;
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = depth;
        for (TreePath p = this; p.parent != null; p = p.parent) {
            hash = hash * 31 + Arrays.hashCode(p.name);
        }
        return hash;
    }

    /** Compares name by name from the root down, as unsigned bytes; a directory comes before what stands in it. */
    @Override
    public int compareTo(TreePath other) {
        TreePath a = this;
        TreePath b = other;
        while (a.depth > b.depth) {
            a = a.parent();
        }
        while (b.depth > a.depth) {
            b = b.parent();
        }
        int result = 0;
        while (a != b && a.parent != null && b.parent != null) {
            int byName = Arrays.compareUnsigned(a.name, b.name);
            if (byName != 0) {
                result = byName;
            }
            a = a.parent;
            b = b.parent;
        }
        return result != 0 ? result : Integer.compare(depth, other.depth);
    }

    /** Returns the path in the printable form of {@link ByteString#toString()}; {@code .} for the root. */
    @Override
    public String toString() {
        return parent == null ? "." : ByteString.escape(toBytes());
    }
}
