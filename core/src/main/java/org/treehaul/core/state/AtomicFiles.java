// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

import org.treehaul.core.fs.PrivateFiles;

/**
 * Private files that appear completely or not at all: they are written under a temporary name in the same directory and
 * then linked or renamed. Safe for use by several processes on several hosts at once; the last one to replace a file
 * wins.
 */
public final class AtomicFiles {

    private AtomicFiles() {}

    /** The content of a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes the content; the caller closes the stream. */
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes a file or replaces an existing one. Readers see the old content or the new one; after a failure the old
     * file remains, and the temporary one is removed.
     *
     * @param isSynced whether the content is on disk before it gets its name, so that a power failure never leaves an
     *        incomplete file; fsync(2)
     */
    public static void replace(Path file, boolean isSynced, Content content) throws IOException {
        Path temporary = temporary(file);
        try {
            write(temporary, isSynced, content);
            rename(temporary, file);
        } catch (IOException | RuntimeException e) {
            removeQuietly(temporary);
            throw e;
        }
    }

    /** Like {@link #replace(Path, boolean, Content)}, with the content in memory. */
    public static void replace(Path file, boolean isSynced, byte[] content) throws IOException {
        replace(file, isSynced, out -> out.write(content));
    }

    /**
     * Creates a file that must not exist yet, with its content on disk. The file appears complete or not at all, except
     * that a failure on a file system without hard links may leave a part of it.
     *
     * @throws FileAlreadyExistsException if it exists
     */
    public static void create(Path file, byte[] content) throws IOException {
        Path temporary = temporary(file);
        try {
            write(temporary, true, out -> out.write(content));
            if (!tryLink(temporary, file)) {
                write(file, true, out -> out.write(content));
            }
        } finally {
            removeQuietly(temporary);
        }
    }

    /** Gives a complete temporary file its final name, and replaces an existing file of that name; rename(2). */
    public static void rename(Path temporary, Path file) throws IOException {
        Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Links a temporary file to its final name.
     *
     * @return false if the file system has no hard links
     * @throws FileAlreadyExistsException if another file has that name
     */
    public static boolean tryLink(Path temporary, Path file) throws IOException {
        try {
            Files.createLink(file, temporary);
            return true;
        } catch (FileAlreadyExistsException e) {
            // Over NFS the existing link may be ours: the client repeats a request whose reply was lost.
            if (!Files.isSameFile(temporary, file)) {
                throw e;
            }
            return true;
        } catch (UnsupportedOperationException e) {
            return false;
        } catch (FileSystemException e) {
            return Files.exists(file) && Files.isSameFile(temporary, file);
        }
    }

    /** Removes a temporary file; if that fails, readers of the directory ignore it. */
    public static void removeQuietly(Path temporary) {
        try {
            Files.deleteIfExists(temporary);
        } catch (IOException e) {
            // Readers ignore the file.
        }
    }

    /** Returns whether a file is temporary or was set aside. */
    public static boolean isHidden(Path file) {
        return file.getFileName().toString().startsWith(".");
    }

    /** Returns a hidden name beside a file. It is random, because several hosts may have equal names and pids. */
    public static Path temporary(Path file) {
        String random = Long.toUnsignedString(ThreadLocalRandom.current().nextLong(), Character.MAX_RADIX);
        try {
            return file.resolveSibling("." + file.getFileName() + "." + random);
        } catch (InvalidPathException e) {
            // The text of a path has not all its bytes if the locale lacks them.
            return file.resolveSibling("." + random);
        }
    }

    // Java closes a channel whose thread is interrupted, and the content would be lost.
    private static void write(Path file, boolean isSynced, Content content) throws IOException {
        boolean isInterrupted = Thread.interrupted();
        try {
            writeUninterrupted(file, isSynced, content);
        } finally {
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void writeUninterrupted(Path file, boolean isSynced, Content content) throws IOException {
        try (FileChannel channel = PrivateFiles.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            content.writeTo(Channels.newOutputStream(channel));
            if (isSynced) {
                channel.force(true);
            }
        } catch (FileSystemException e) {
            throw e;
        } catch (IOException e) {
            throw new IOException("write " + file + ": " + e.getMessage(), e);
        }
    }
}
