// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;

/**
 * Where the data of a regular file go while they are written, and by what way the file gets its name.
 *
 * @param way how it is reached
 * @param descriptor open for writing
 * @param temporaryName the name of a named temporary, else empty
 * @param creationMode the mode that the file was made with
 */
record Placement(Way way, int descriptor, ByteString temporaryName, int creationMode) {

    /** The ways. */
    enum Way {
        /** A new file under its final name, made by O_EXCL: for what is written in one go. */
        DIRECT,
        /** A file without a name (O_TMPFILE): nothing is left of it when the program dies. */
        UNNAMED,
        /** A temporary sibling, locked while it is written. */
        NAMED,
        /** What stands under the final name is written to. */
        THROUGH
    }
}
