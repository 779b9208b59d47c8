// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import org.treehaul.core.entry.ByteString;

/**
 * A difference between the catalogue of a stage and its servers.
 *
 * @param kind the kind of the difference
 * @param server the name of the server
 * @param segment the name of the segment; empty for a server that cannot be reached
 * @param path the path of the file; empty if no file has the segment
 * @param bytes the size of the segment; 0 if it is missing
 * @param isRepairable whether another copy of the segment is complete as far as the catalogue knows
 */
public record StageFinding(Kind kind, String server, String segment, ByteString path, long bytes,
        boolean isRepairable) {

    /** The kinds. */
    public enum Kind {
        /** A segment that no file has: the rest of a file that was being made, or was removed. */
        ORPHAN,
        /** A segment of a file that is being made, or whose maker died. */
        UNFINISHED,
        /** A segment that a file needs and the server does not have. */
        MISSING,
        /** A segment that ends before the data that the catalogue records. */
        SHORT,
        /** A copy that missed a write. */
        STALE,
        /** A segment of which no copy has all of a collective write. */
        INCOMPLETE,
        /** A server that cannot be reached. */
        UNREACHABLE
    }

    /** Returns whether a copy of a segment is not complete, and another one is. */
    public boolean isCopy() {
        return isRepairable || kind == Kind.STALE;
    }

    /** Returns whether data are lost, or cannot be reached. */
    public boolean isLoss() {
        return !isCopy()
                && (kind == Kind.MISSING || kind == Kind.SHORT || kind == Kind.INCOMPLETE || kind == Kind.UNREACHABLE);
    }
}
