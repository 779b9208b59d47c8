// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * How long units of work are as bytes, and where a listing is cut into units: for the walk and for those who simulate
 * it.
 */
public final class UnitSizes {

    /** What comes before the path: kind, root, length of the path, number of names, their length; the number. */
    public static final int HEAD = 1 + 4 * Integer.BYTES + Long.BYTES;

    /** What a subdirectory takes besides its name: a flag and a NUL. */
    public static final int BESIDES_NAME = 2;

    /** How many entries are handled between two looks at whether others are idle; a look costs a volatile read. */
    public static final int ENTRIES_PER_LOOK = 32;

    /** Below this many bytes of records a rest of a listing is not worth giving away: about 40 names. */
    public static final int LEAST_SLICE = 1024;

    /**
     * How long the parts are that a large listing is cut into where a master hands out the work, as no other rank can
     * ask for a part of a listing in hand: about 250 names.
     */
    public static final int PART = 8 * 1024;

    /** How many of these wait in a rank at most: 32 MiB. */
    public static final int MOST_PARTS = 4096;

    private UnitSizes() {}

    /** Returns the length of the record of an entry in a listing: {@code struct linux_dirent64}. */
    public static int record(int nameLength) {
        return DirectoryRecords.NAME + nameLength + 1 + 7 & ~7;
    }
}
