// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sqlite.connection;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;

/**
 * The status of a file before it was read without a lock.
 *
 * @param file the file
 * @param status inode, size and times; each write changes the times
 */
record FileStamp(Path file, Map<String, Object> status) {

    static FileStamp of(Path file) {
        return new FileStamp(file, status(file));
    }

    private static Map<String, Object> status(Path file) {
        try {
            return Files.readAttributes(file, "unix:ino,dev,size,lastModifiedTime,ctime");
        } catch (IOException e) {
            throw SpaceFile.failed(file, e);
        }
    }

    void check() {
        if (!status(file).equals(status)) {
            throw new SpaceException(Reason.BUSY, file + " was changed by its owner while it was read");
        }
    }
}
