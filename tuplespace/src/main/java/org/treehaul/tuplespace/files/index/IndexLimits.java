// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

/**
 * Limits of the memory that a run uses, in approximate bytes.
 *
 * @param part entries of one directory that are gathered before they are passed on
 * @param held entries that all open directories gather before those on the way down pass them on
 * @param known entries read from the index at once; larger directories are read in the order of names
 */
record IndexLimits(long part, long held, long known) {

    /**
     * About 4,500 entries of a directory; together with the queue to the store, this fits into a heap of 64 megabytes.
     */
    static final IndexLimits DEFAULTS = new IndexLimits(3 << 19, 6 << 20, 6 << 20);
}
