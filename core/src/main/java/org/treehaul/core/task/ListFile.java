// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.spool.ScratchDirectory;

/**
 * A temporary file with paths, each ended by NUL, which only the user can read. It is written as paths come, so that
 * any number of them needs no memory. Used by one thread.
 */
public final class ListFile implements AutoCloseable {

    private static final int BUFFER = 64 * 1024;

    private final Path path;
    private final OutputStream out;

    private ListFile(Path path, OutputStream out) {
        this.path = path;
        this.out = out;
    }

    /** Makes an empty file in the directory for temporary files. */
    public static ListFile make() throws IOException {
        Path path = Files.createTempFile(parent(), "treehaul-list-", "");
        try {
            return new ListFile(path, new BufferedOutputStream(Files.newOutputStream(path), BUFFER));
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    // A job may have the TMPDIR of the host that submitted it.
    private static Path parent() {
        try {
            Path parent = ScratchDirectory.parent();
            return Files.isDirectory(parent) ? parent : Path.of("/tmp");
        } catch (IllegalArgumentException e) {
            // The locale lacks its name.
            return Path.of("/tmp");
        }
    }

    /** Writes the paths to a new file in the directory for temporary files. */
    public static ListFile of(List<ByteString> paths) throws IOException {
        ListFile list = make();
        try {
            for (ByteString one : paths) {
                list.add(one);
            }
            list.end();
            return list;
        } catch (IOException e) {
            list.close();
            throw e;
        }
    }

    /** Adds a path. */
    public void add(ByteString one) throws IOException {
        out.write(one.toBytes());
        out.write(0);
    }

    /** Writes what is buffered: the list is complete. */
    public void end() throws IOException {
        out.close();
    }

    /** Returns the path byte for byte. */
    public ByteString name() {
        return ByteString.of(path.toAbsolutePath());
    }

    /** Removes the file. */
    @Override
    public void close() {
        try {
            out.close();
        } catch (IOException e) {
            // Its content is not needed any more.
        }
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            // It stays in the directory for temporary files.
        }
    }
}
