// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;

import org.jspecify.annotations.Nullable;

/**
 * Finds the place that a descriptor and a name mean. A place is a number that contains its kind and, in the source and
 * the copy, the node of the tree; so looking one up makes no object. Safe for any number of threads.
 */
final class GeneratedPlaces {

    /** A place that is not generated. */
    static final int REAL = 0;
    /** The directory that contains the source and the copy. */
    static final int TOP = 1;
    /** A node of the source. */
    static final int SOURCE = 2;
    /** A node of the copy. */
    static final int COPY = 3;
    /** A name in the copy that is not one of the tree. */
    static final int OTHER = 4;
    /** A name below a file. */
    static final int NONE = 5;
    /** A name in the source that is not one of the tree. */
    static final int ABSENT = 6;

    private static final int KIND_BITS = 3;
    private static final byte[] OF_DESCRIPTOR = "/proc/self/fd/".getBytes(StandardCharsets.US_ASCII);

    private final GeneratedTree tree;
    private final byte[] top;
    private final byte[] source;
    private final byte[] copy;
    private final OpenFiles open;

    /**
     * Creates a finder.
     *
     * @param top the absolute path of the directory that contains both trees
     * @param source the name of the source there
     * @param copy the name of the copy there
     */
    GeneratedPlaces(GeneratedTree tree, byte[] top, byte[] source, byte[] copy, OpenFiles open) {
        this.tree = tree;
        this.top = top;
        this.source = source;
        this.copy = copy;
        this.open = open;
    }

    static int kind(long place) {
        return (int) place & (1 << KIND_BITS) - 1;
    }

    static long node(long place) {
        return place >>> KIND_BITS;
    }

    static long other() {
        return OTHER;
    }

    static boolean isEmpty(MemorySegment name) {
        return name.get(JAVA_BYTE, 0) == 0;
    }

    /** Returns the place of a descriptor. */
    long of(int descriptor) {
        OpenFiles.@Nullable Position position = open.position(descriptor);
        return position != null ? position.place : open.isTop(descriptor) ? TOP : REAL;
    }

    /** Returns the place of a name that ends with a NUL, below the directory of a descriptor unless it is absolute. */
    long of(int directory, MemorySegment name) {
        if (name.get(JAVA_BYTE, 0) != '/') {
            return from(of(directory), name, 0);
        }
        if (begins(name, top)) {
            byte next = name.get(JAVA_BYTE, top.length);
            return next == 0 || next == '/' ? from(TOP, name, top.length) : REAL;
        }
        return begins(name, OF_DESCRIPTOR) ? ofDescriptor(name) : REAL;
    }

    private long ofDescriptor(MemorySegment name) {
        long descriptor = 0;
        int i = OF_DESCRIPTOR.length;
        for (; name.get(JAVA_BYTE, i) != 0 && name.get(JAVA_BYTE, i) != '/'; i++) {
            int digit = name.get(JAVA_BYTE, i) - '0';
            if (digit < 0 || digit > 9 || descriptor > Integer.MAX_VALUE / 10) {
                return REAL;
            }
            descriptor = descriptor * 10 + digit;
        }
        return from(of((int) descriptor), name, i);
    }

    private static boolean begins(MemorySegment name, byte[] prefix) {
        for (int i = 0; i < prefix.length; i++) {
            // Its NUL ends the comparison.
            if (name.get(JAVA_BYTE, i) != prefix[i]) {
                return false;
            }
        }
        return true;
    }

    private long from(long place, MemorySegment name, long start) {
        long at = place;
        long from = start;
        while (kind(at) != REAL && kind(at) != NONE) {
            while (name.get(JAVA_BYTE, from) == '/') {
                from++;
            }
            if (name.get(JAVA_BYTE, from) == 0) {
                return at;
            }
            long end = from;
            while (name.get(JAVA_BYTE, end) != 0 && name.get(JAVA_BYTE, end) != '/') {
                end++;
            }
            at = step(at, name, from, end);
            from = end;
        }
        return at;
    }

    private long step(long at, MemorySegment name, long from, long end) {
        long length = end - from;
        boolean isDot = name.get(JAVA_BYTE, from) == '.';
        if (isDot && length == 1) {
            return at;
        }
        boolean isUp = isDot && length == 2 && name.get(JAVA_BYTE, from + 1) == '.';
        if (kind(at) == TOP) {
            return is(source, name, from, length) ? SOURCE : is(copy, name, from, length) ? COPY : REAL;
        }
        long node = node(at);
        if (kind(at) == OTHER || kind(at) == ABSENT || !tree.isDirectory(node)) {
            return NONE;
        }
        if (isUp) {
            return node == 0 ? TOP : tree.parent(node) << KIND_BITS | kind(at);
        }
        long found = find(node, name, from, end);
        return found >= 0 ? found << KIND_BITS | kind(at) : kind(at) == SOURCE ? ABSENT : OTHER;
    }

    private static boolean is(byte[] word, MemorySegment name, long from, long length) {
        if (length != word.length) {
            return false;
        }
        for (int i = 0; i < word.length; i++) {
            if (name.get(JAVA_BYTE, from + i) != word[i]) {
                return false;
            }
        }
        return true;
    }

    private long find(long directory, MemorySegment name, long from, long end) {
        byte first = name.get(JAVA_BYTE, from);
        if (first != 'd' && first != 'f' || end - from < 2 || end - from > 18) {
            return -1;
        }
        long number = 0;
        for (long i = from + 1; i < end; i++) {
            int digit = name.get(JAVA_BYTE, i) - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            number = number * 10 + digit;
        }
        return tree.find(directory, first, number);
    }
}
