// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import org.treehaul.core.entry.ByteString;

/**
 * Where the data of a regular file are written, and how the file gets its name.
 *
 * @param way how it gets its name
 * @param descriptor open for writing
 * @param temporaryName the name of a named or shared temporary file, else empty
 * @param creationMode the mode with which the file was created
 */
public record Placement(Way way, int descriptor, ByteString temporaryName, int creationMode) {

    /** The ways to place a file. */
    public enum Way {
        /** A new file under its final name, created with O_EXCL: for data written in one go. */
        DIRECT,
        /** A file without a name (O_TMPFILE): it disappears if the program dies. */
        UNNAMED,
        /** A temporary file in the same directory, locked while it is written. */
        NAMED,
        /**
         * A temporary file in the same directory into which several workers copied. It is the caller's: an error leaves
         * it in place, so that the caller can try again with the data that it has.
         */
        SHARED,
        /** The existing entry under the final name is written to. */
        THROUGH
    }
}
