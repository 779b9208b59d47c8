// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

import org.treehaul.core.annotation.Internal;

/**
 * File names that survive a power failure: fsync(2), rename(2). The private files of {@code core.state} are not used,
 * because a tuple space depends on no part of {@code core} that knows files.
 */
@Internal
public final class DurableFiles {

    private DurableFiles() {}

    /** Renames a file that is on disk atomically within its directory, and makes the new name durable. */
    public static void rename(Path from, Path to) throws IOException {
        Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        Path directory = to.toAbsolutePath().getParent();
        if (directory != null) {
            sync(directory);
        }
    }

    /** Makes the content of a file, or the names in a directory, durable. */
    public static void sync(Path path) throws IOException {
        StandardOpenOption mode = Files.isDirectory(path) ? StandardOpenOption.READ : StandardOpenOption.WRITE;
        Uninterrupted.run(() -> {
            try (FileChannel channel = FileChannel.open(path, mode)) {
                channel.force(true);
            }
        });
    }
}
