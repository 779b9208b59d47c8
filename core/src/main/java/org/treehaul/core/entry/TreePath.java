// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The path of an entry below a root: the names on the way to it, byte-exact. The path of the root itself has no names.
 *
 * <p>
 * Immutable and shared: a path holds its own name and its parent, so the paths of a million siblings share one copy of
 * their parents' names, and a path of ten thousand names costs no more than its last one. Ordered by the unsigned bytes
 * of the names, parents before children.
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
     * Returns the path with these names, separated by single slashes. Empty bytes denote the root.
     *
     * @throws IllegalArgumentException if a name is empty, {@code .} or {@code ..}, or contains a NUL: such a path
     *         could lead out of the root
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
     * Returns the path of an entry in this directory. The path keeps the array, which must not change afterwards.
     *
     * @throws IllegalArgumentException if the name is empty, {@code .} or {@code ..}, or contains a slash or a NUL
     */
    public TreePath child(byte[] childName) {
        if (childName.length == 0 || isDots(childName)) {
            throw new IllegalArgumentException("not the name of an entry: '" + ByteString.escape(childName) + "'");
        }
        for (byte b : childName) {
            if (b == '/' || b == 0) {
                throw new IllegalArgumentException(
                        "a name must not contain a slash or NUL: '" + ByteString.escape(childName) + "'");
            }
        }
        return new TreePath(this, childName, depth + 1);
    }

    private static boolean isDots(byte[] name) {
        return name[0] == '.' && (name.length == 1 || name.length == 2 && name[1] == '.');
    }

    /** Returns whether this is the root itself. */
    public boolean isRoot() {
        return parent == null;
    }

    /** Returns the number of names: 0 for the root, 1 for an entry directly in it. */
    public int depth() {
        return depth;
    }

    /**
     * Returns the path of the directory that contains this entry.
     *
     * @throws IllegalStateException for the root
     */
    public TreePath parent() {
        if (parent == null) {
            throw new IllegalStateException("the root has no parent");
        }
        return parent;
    }

    /** Returns whether this is the path of the given directory, or of an entry below it at any distance. */
    public boolean startsWith(TreePath directory) {
        TreePath above = this;
        while (above.depth > directory.depth) {
            above = above.parent();
        }
        return above.equals(directory);
    }

    /** Returns the last name; empty for the root. */
    public ByteString name() {
        return ByteString.of(name);
    }

    /** Returns a copy of the last name's bytes; empty for the root. */
    public byte[] nameBytes() {
        return name.clone();
    }

    /** Returns the names, beginning below the root. */
    public List<ByteString> names() {
        List<ByteString> names = new ArrayList<>(depth);
        for (TreePath p = this; p.parent != null; p = p.parent) {
            names.add(p.name());
        }
        return names.reversed();
    }

    /** Returns the bytes of the path: the names separated by slashes, without a leading slash; empty for the root. */
    public byte[] toBytes() {
        return toBytes(0);
    }

    // Leaves room for that many bytes at the start.
    private byte[] toBytes(int room) {
        int length = -1;
        for (TreePath p = this; p.parent != null; p = p.parent) {
            length = Math.addExact(length, p.name.length + 1);
        }
        byte[] bytes = new byte[Math.addExact(room, Math.max(0, length))];
        int end = bytes.length;
        for (TreePath p = this; p.parent != null; p = p.parent) {
            end -= p.name.length;
            System.arraycopy(p.name, 0, bytes, end, p.name.length);
            if (end > room) {
                bytes[--end] = '/';
            }
        }
        return bytes;
    }

    /**
     * Returns the path of the entry that begins with a root.
     *
     * @param root the path of the root as the user gave it
     * @return both joined by a slash, or the root alone for the path of the root itself
     */
    public ByteString below(ByteString root) {
        if (parent == null) {
            return root;
        }
        int head = root.length();
        boolean needsSlash = head > 0 && root.at(head - 1) != '/';
        byte[] whole = toBytes(needsSlash ? head + 1 : head);
        root.copyTo(whole, 0);
        if (needsSlash) {
            whole[head] = '/';
        }
        return ByteString.wrap(whole);
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

    /** Compares name by name from the root down, as unsigned bytes; a directory precedes its content. */
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
