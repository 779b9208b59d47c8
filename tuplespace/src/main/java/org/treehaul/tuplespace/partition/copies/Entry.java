// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.copies;

/** The layout of an entry: the number of a tuple, its copy, and the last pass that has seen the tuple. */
final class Entry {
    static final int TUPLE = 0;
    static final int ID = 1;
    static final int END = 2;
    static final int PASS = 3;
    /** Number of longs. */
    static final int SIZE = 4;
    /** In the place of a pass: the entry does not count any more. */
    static final long REMOVED = -1;

    private Entry() {}
}
