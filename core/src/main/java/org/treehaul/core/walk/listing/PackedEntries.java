// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.listing;

import java.util.Arrays;

import org.treehaul.core.entry.EntryKind;

/**
 * The entries of one directory that a selection names, packed into an array in the order in which they were added: for
 * each its number (4 bytes), its kind (1), the length of its name (2), the name and a NUL. The static methods read an
 * entry at an offset of such an array, which may also be a part that begins and ends between two entries.
 */
public final class PackedEntries {

    private static final int KIND = Integer.BYTES;
    private static final int NAME_LENGTH = KIND + 1;

    /** The offset of the name in an entry. */
    public static final int NAME = NAME_LENGTH + Short.BYTES;

    private static final int LONGEST_NAME = 0xFFFF;
    private static final byte[] NOTHING = {};

    private byte[] packed = NOTHING;
    private int used;

    /**
     * Adds an entry.
     *
     * @throws IllegalArgumentException if the name is longer than 65,535 bytes
     */
    public void add(byte[] name, EntryKind kind, int number) {
        if (name.length > LONGEST_NAME) {
            throw new IllegalArgumentException("a name of " + name.length + " bytes");
        }
        int length = NAME + name.length + 1;
        if (packed.length - used < length) {
            // The first entry of a directory allocates only what it needs: many directories have only one.
            packed = Arrays.copyOf(packed, Math.addExact(used, used == 0 ? length : Math.max(length, used)));
        }
        int at = used;
        for (int i = 0; i < Integer.BYTES; i++) {
            packed[at + i] = (byte) (number >>> Byte.SIZE * i);
        }
        packed[at + KIND] = (byte) (kind.typeBits() >>> 12);
        packed[at + NAME_LENGTH] = (byte) name.length;
        packed[at + NAME_LENGTH + 1] = (byte) (name.length >>> Byte.SIZE);
        System.arraycopy(name, 0, packed, at + NAME, name.length);
        used += length;
    }

    /** Returns the array that holds the entries up to {@link #length()}; not a copy. */
    public byte[] bytes() {
        return packed;
    }

    /** Returns the number of bytes that the entries take. */
    public int length() {
        return used;
    }

    /** Returns the number that identifies an entry. */
    public static int number(byte[] packed, int at) {
        return packed[at] & 0xFF | (packed[at + 1] & 0xFF) << 8 | (packed[at + 2] & 0xFF) << 16 | packed[at + 3] << 24;
    }

    /** Returns the kind that an entry had when it was selected. */
    public static EntryKind kind(byte[] packed, int at) {
        return EntryKind.ofMode(packed[at + KIND] << 12);
    }

    /** Returns the length of an entry's name, without its NUL. */
    public static int nameLength(byte[] packed, int at) {
        return packed[at + NAME_LENGTH] & 0xFF | (packed[at + NAME_LENGTH + 1] & 0xFF) << 8;
    }

    /** Returns the end of an entry, where the next one begins. */
    public static int end(byte[] packed, int at) {
        return at + NAME + nameLength(packed, at) + 1;
    }
}
