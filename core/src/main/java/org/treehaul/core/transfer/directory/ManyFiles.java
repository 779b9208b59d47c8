// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_STATX_FORCE_SYNC;
import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.STATX_BASIC_STATS;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Path;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * A directory of many small files. It is opened once and each file is read by its name in it, with memory that is used
 * again: four system calls and hardly any objects for a file, where a transfer has one of them for each of its batches.
 * The server of a network file system is asked for each file, as by {@link ServerView}. Used by one thread.
 */
public final class ManyFiles implements AutoCloseable {

    // A file with the progress of a batch has 300 bytes, or a few thousand if it names the files that took long.
    private static final int MOST_BYTES = 8 * 1024;
    private static final int NONE = -1;

    private final FileAccess access = FileAccess.open(Linux.calls());
    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(MOST_BYTES);
    private final MemorySegment status = arena.allocate(STATX_SIZE, Long.BYTES);
    private final ByteBuffer view = memory.asByteBuffer();
    private final byte[] content = new byte[MOST_BYTES];
    private final int descriptor;

    /** Opens a directory. If that fails, no file in it can be read. */
    public ManyFiles(Path directory) {
        int opened;
        try {
            opened = open(access, directory);
        } catch (SystemCallException e) {
            opened = NONE;
        }
        this.descriptor = opened;
    }

    private static int open(FileAccess access, Path directory) throws SystemCallException {
        return access.open(AT_FDCWD, access.name(ServerView.bytes(directory)), O_RDONLY | O_DIRECTORY, 0);
    }

    /**
     * Reads a file.
     *
     * @param name its name in the directory, ASCII
     * @return the number of its bytes at the beginning of {@link #content}, or -1 if it does not exist, cannot be read,
     *         or is not small: the caller must read it by its path to know which
     */
    public int read(String name) {
        if (descriptor == NONE) {
            return NONE;
        }
        try {
            MemorySegment at = access.name(name.getBytes(StandardCharsets.US_ASCII));
            if (access.calls().statx(descriptor, at, AT_STATX_FORCE_SYNC, STATX_BASIC_STATS, status) < 0) {
                return NONE;
            }
            int file = access.open(descriptor, at, O_RDONLY, 0);
            int length;
            try {
                length = (int) access.readSome(file, memory);
            } finally {
                access.closeQuietly(file);
            }
            view.get(0, content, 0, length);
            return length < MOST_BYTES ? length : NONE;
        } catch (SystemCallException e) {
            return NONE;
        }
    }

    /**
     * Returns the memory that {@link #read} fills; always the same. One read may return less than the file, so a file
     * must show its end.
     */
    public byte[] content() {
        return content;
    }

    /** Closes the directory. */
    @Override
    public void close() {
        if (descriptor != NONE) {
            access.closeQuietly(descriptor);
        }
        arena.close();
        access.close();
    }

    /** Receives the names in a directory. */
    @FunctionalInterface
    public interface Names {

        /** Receives a name: bytes of an array, valid until the method returns. */
        void name(byte[] bytes, int from, int length);
    }

    /**
     * Passes on the names in a directory in no particular order, among them {@code .} and {@code ..}, as its server has
     * them now.
     *
     * @throws IOException if the directory does not exist, or cannot be read to its end
     */
    public static void names(Path directory, Names names) throws IOException {
        ServerView.fresh(directory);
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = open(access, directory);
            try {
                names(access, descriptor, names);
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (SystemCallException e) {
            throw new FileSystemException(directory.toString(), null, Errno.describe(e.errno()));
        }
    }

    private static void names(FileAccess access, int descriptor, Names names) throws SystemCallException {
        MemorySegment listing = access.listing();
        ByteBuffer view = listing.asByteBuffer();
        byte[] records = new byte[FileAccess.LISTING_BYTES];
        while (true) {
            int length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, listing));
            if (length == 0) {
                return;
            }
            view.get(0, records, 0, length);
            for (int at = 0; at < length; at += DirectoryRecords.length(records, at)) {
                names.name(records, at + DirectoryRecords.NAME, DirectoryRecords.nameLength(records, at));
            }
        }
    }
}
