// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.listing;

/**
 * Sizes of units of work as bytes, and sizes at which a listing is cut into units; for the walk and its simulation.
 */
public final class UnitSizes {

    /**
     * The bytes before the path: kind, root, length of the path, number of names, their length; and the unit's number.
     */
    public static final int HEAD = 1 + 4 * Integer.BYTES + Long.BYTES;

    /** The bytes of a subdirectory besides its name: a flag and a NUL. */
    public static final int BESIDES_NAME = 2;

    /** The number of entries handled between two checks for idle workers; a check costs a volatile read. */
    public static final int ENTRIES_PER_LOOK = 32;

    /** The fewest bytes of remaining records that are worth giving away: about 40 names. */
    public static final int LEAST_SLICE = 1024;

    /**
     * The size of the parts into which a large listing is cut where a master hands out the work, because no other rank
     * can ask for a part of a listing in progress: about 250 names.
     */
    public static final int PART = 8 * 1024;

    /** The most of these parts that wait in a rank: 32 MiB. */
    public static final int MOST_PARTS = 4096;

    private UnitSizes() {}

    /** Returns the length of the record of an entry in a listing: {@code struct linux_dirent64}. */
    public static int record(int nameLength) {
        return DirectoryRecords.NAME + nameLength + 1 + 7 & ~7;
    }
}
