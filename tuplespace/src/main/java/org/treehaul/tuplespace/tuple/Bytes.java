// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.tuple;

import java.util.Arrays;
import java.util.HexFormat;

import org.treehaul.core.annotation.Internal;

/** An immutable sequence of bytes that is equal by content and ordered as unsigned bytes. */
public final class Bytes implements Comparable<Bytes> {
    private final byte[] bytes;

    private Bytes(byte[] bytes) {
        this.bytes = bytes;
    }

    /** Returns a copy of the bytes. */
    public static Bytes of(byte... bytes) {
        return new Bytes(bytes.clone());
    }

    /** Wraps an array without a copy; the caller must not keep the array. */
    @Internal
    public static Bytes wrap(byte[] bytes) {
        return new Bytes(bytes);
    }

    /** Returns the number of bytes. */
    public int length() {
        return bytes.length;
    }

    /** Returns a copy of the bytes. */
    public byte[] toArray() {
        return bytes.clone();
    }

    /** Returns the internal array; the caller must not change it. */
    @Internal
    public byte[] array() {
        return bytes;
    }

    /** Returns whether the sequence begins with another. */
    public boolean startsWith(Bytes prefix) {
        return length() >= prefix.length()
                && Arrays.equals(bytes, 0, prefix.length(), prefix.bytes, 0, prefix.length());
    }

    /** Returns whether the sequence ends with another. */
    public boolean endsWith(Bytes suffix) {
        return length() >= suffix.length()
                && Arrays.equals(bytes, length() - suffix.length(), length(), suffix.bytes, 0, suffix.length());
    }

    /** Returns whether the sequence contains another. */
    public boolean contains(Bytes part) {
        for (int i = 0; i <= length() - part.length(); i++) {
            if (Arrays.equals(bytes, i, i + part.length(), part.bytes, 0, part.length())) {
                return true;
            }
        }
        return false;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Bytes that && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        // Arrays.hashCode gives the same value to too many paths of one tree.
        long hash = bytes.length;
        for (byte one : bytes) {
            hash = (hash ^ one) * 0x9E3779B97F4A7C15L;
            hash ^= hash >>> 29;
        }
        return (int) (hash ^ hash >>> 32);
    }

    @Override
    public int compareTo(Bytes other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
