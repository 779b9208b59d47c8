// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.spool;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A sort key of the spool. Compared as unsigned bytes, keys order entries by root, then the entries of a directory
 * together by name, followed by its subdirectories, each with everything below it.
 *
 * <p>
 * A key consists of the root (4 bytes, most significant first), the directory with each slash encoded as 0 1, then 0 0,
 * then the name. No name contains a 0. The further names of a hard-linked file follow its first name: their key is that
 * of the first name, a 0, and their own key.
 */
public final class SpoolKey {

    private static final int ROOT_BYTES = 4;

    private final int root;
    private final byte[] path;
    private final int nameStart;

    private SpoolKey(int root, byte[] path, int nameStart) {
        this.root = root;
        this.path = path;
        this.nameStart = nameStart;
    }

    /** Returns the index of the root in the header. */
    public int root() {
        return root;
    }

    /** Returns the path below the root; the caller must not modify it. */
    public byte[] path() {
        return path;
    }

    /** Returns the offset of the last name in the path. */
    public int nameStart() {
        return nameStart;
    }

    /** Returns the key of an entry in a directory; a root has an empty directory and an empty name. */
    public static byte[] of(int root, byte[] directory, byte[] name) {
        byte[] head = ofDirectory(root, directory);
        byte[] key = Arrays.copyOf(head, head.length + 2 + name.length);
        System.arraycopy(name, 0, key, head.length + 2, name.length);
        return key;
    }

    /** Returns the key by which directories are sorted among themselves. */
    public static byte[] ofDirectory(int root, byte[] directory) {
        int slashes = 0;
        for (byte b : directory) {
            slashes += b == '/' ? 1 : 0;
        }
        byte[] key = new byte[ROOT_BYTES + directory.length + slashes];
        ByteBuffer.wrap(key).putInt(root);
        int at = ROOT_BYTES;
        for (byte b : directory) {
            if (b == '/') {
                at++;
                key[at++] = 1;
            } else {
                key[at++] = b;
            }
        }
        return key;
    }

    /** Parses a key that starts at an offset and extends to the end. */
    public static SpoolKey parse(byte[] key, int from) {
        return parse(key, from, key.length);
    }

    /** Parses a key that is a part of an array. */
    static SpoolKey parse(byte[] key, int from, int to) {
        byte[] path = new byte[to - from - ROOT_BYTES];
        int length = 0;
        int at = from + ROOT_BYTES;
        int nameStart = 0;
        while (at < to) {
            byte b = key[at++];
            if (b != 0) {
                path[length++] = b;
            } else if (key[at++] == 1) {
                path[length++] = '/';
            } else {
                if (length > 0) {
                    path[length++] = '/';
                }
                nameStart = length;
            }
        }
        return new SpoolKey(ByteBuffer.wrap(key, from, ROOT_BYTES).getInt(), Arrays.copyOf(path, length), nameStart);
    }

    /**
     * Returns the beginning of the keys of all entries in a directory; the name of an entry follows it.
     *
     * @param directory the path of the directory
     */
    public static byte[] before(int root, byte[] directory) {
        byte[] head = ofDirectory(root, directory);
        return Arrays.copyOf(head, head.length + 2);
    }

    /**
     * Parses keys one after another. Most are in the directory of the key before, whose path is not parsed again. Used
     * by one thread.
     */
    public static final class Parser {
        // The beginning of the last key before its name, and its path in the first bytes of one that is long enough.
        private byte[] head = {};
        private int root;
        private byte[] directory = {};
        private boolean isBeside;
        private byte[] key = {};
        private int nameStart;
        private int nameEnd;

        /** Parses a key that is a part of an array, from an offset to another. */
        public SpoolKey parse(byte[] bytes, int from, int to) {
            next(bytes, from, to);
            return key();
        }

        /**
         * Parses a key as {@link #parse} does, and makes no object if it is in the directory of the one before. The
         * array must not change as long as the methods of this class are called.
         */
        public void next(byte[] bytes, int from, int to) {
            int name = from + head.length;
            isBeside = head.length > 0 && name <= to && Arrays.equals(bytes, from, name, head, 0, head.length);
            if (!isBeside) {
                SpoolKey parsed = SpoolKey.parse(bytes, from, to);
                name = to - (parsed.path.length - parsed.nameStart);
                head = Arrays.copyOfRange(bytes, from, name);
                root = parsed.root;
                directory = Arrays.copyOf(parsed.path, parsed.nameStart);
            }
            key = bytes;
            nameStart = name;
            nameEnd = to;
        }

        /** Returns the last key. */
        public SpoolKey key() {
            byte[] path = Arrays.copyOf(directory, directory.length + nameEnd - nameStart);
            System.arraycopy(key, nameStart, path, directory.length, nameEnd - nameStart);
            return new SpoolKey(root, path, directory.length);
        }

        /** Returns whether the last key is of an entry in the directory of the one before. */
        public boolean isBeside() {
            return isBeside;
        }

        /** Returns the root of the last key. */
        public int root() {
            return root;
        }

        /**
         * Returns the path of the directory of the last key, with a slash after it, or nothing for the root; the caller
         * must not modify it. The same array as long as the keys are in one directory.
         */
        public byte[] directory() {
            return directory;
        }

        /** Returns where the name begins in the array of the last key. */
        public int nameStart() {
            return nameStart;
        }

        /** Returns where the name ends. */
        public int nameEnd() {
            return nameEnd;
        }
    }

    /** Returns the key of a further name of a file, given the key of its first name. */
    public static byte[] member(byte[] first, byte[] own) {
        byte[] key = Arrays.copyOf(first, first.length + 1 + own.length);
        System.arraycopy(own, 0, key, first.length + 1, own.length);
        return key;
    }
}
