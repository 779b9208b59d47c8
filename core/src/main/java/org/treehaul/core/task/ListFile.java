// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.treehaul.core.entry.ByteString;

/**
 * A temporary file with paths, each ended by NUL, which only the user can read.
 *
 * @param path the file
 */
public record ListFile(Path path) implements AutoCloseable {

    /** Writes the paths to a new file in the directory for temporary files. */
    public static ListFile of(List<ByteString> paths) throws IOException {
        ListFile list = new ListFile(Files.createTempFile("treehaul-list-", ""));
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(list.path))) {
            for (ByteString one : paths) {
                out.write(one.toBytes());
                out.write(0);
            }
            return list;
        } catch (IOException e) {
            list.close();
            throw e;
        }
    }

    /** Returns the path byte for byte. */
    public ByteString name() {
        return ByteString.of(path.toAbsolutePath());
    }

    /** Removes the file. */
    @Override
    public void close() {
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // It stays in the directory for temporary files.
        }
    }
}
