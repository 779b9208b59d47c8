// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/** Names of files that are still there after the machine has lost its power: fsync(2), rename(2). */
public final class DurableFiles {

    private DurableFiles() {}

    /** Gives a file that is on disk another name in its directory at once, and makes sure of that. */
    public static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        Path directory = to.toAbsolutePath().getParent();
        if (directory != null) {
            sync(directory);
        }
    }

    /** Makes sure of a directory's names. */
    public static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
