// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

import org.treehaul.core.entry.FileStatus;

/**
 * The identity of a space's directory, independent of the path to it. While this process has the space open, it must
 * not open the files there: closing any descriptor of a file drops all locks that the process holds on it.
 */
record SpacePlace(long device, long inode) {

    /** The identity of no directory. */
    static final SpacePlace NONE = new SpacePlace(0, 0);

    static SpacePlace of(Path directory) throws IOException {
        Map<String, Object> status = Files.readAttributes(directory, "unix:dev,ino");
        return new SpacePlace(number(status, "dev"), number(status, "ino"));
    }

    private static long number(Map<String, Object> status, String name) {
        return (Long) Objects.requireNonNull(status.get(name), name);
    }

    boolean is(FileStatus status) {
        return status.inode() == inode && status.device() == device;
    }
}
