// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

/** The state of an entry of the catalogue. */
public enum StagedState {

    /** A file that is being made. It has no path yet that others can open; its segments may be incomplete. */
    INTENT,

    /**
     * A file that was renamed, whose segments get another generation: the first client that opens it completes the
     * change.
     */
    RENAMING,

    /**
     * A file that was truncated, whose segments get this generation, their size, and with it the next generation:
     * completed in the same way.
     */
    TRUNCATING,

    /**
     * A file whose copies are rebuilt or moved, in a new generation that the copies to read from get. It can be read; a
     * client that opens it to write ends this, and the copies stay stale or where they were.
     */
    REPAIRING,

    /** An entry that is complete. */
    COMMITTED,

    /**
     * No entry, but the record that there is or was something below the path: it is a directory by its content. No
     * other entry gets the path while there is.
     */
    IMPLIED
}
