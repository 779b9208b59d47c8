// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.condition;

import java.io.IOException;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Timestamp;

/** Reads the times of files that conditions name. */
@FunctionalInterface
public interface FileTimes {

    /** Returns the time of the last change of the data of a file; of a symbolic link, that of the link itself. */
    Timestamp mtime(ByteString path) throws IOException;

    /** Returns times of no file: conditions that name one are refused. */
    static FileTimes unknown() {
        return path -> {
            throw new IOException("the times of other files are unknown here");
        };
    }
}
