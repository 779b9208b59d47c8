// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.common;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileInput;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/** Opens and writes files whose names need not be text, which java.nio cannot do. */
public final class ByteFiles {

    private static final ByteString PART = ByteString.of(".part");

    private ByteFiles() {}

    /** Opens a file for reading, on the calling thread. */
    public static InputStream open(ByteString path) throws IOException {
        return FileInput.open(Linux.calls(), path);
    }

    /** Writes a new file, or replaces the content of an existing one; if this fails, the file may be incomplete. */
    public static void write(ByteString path, byte[] content) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls());
                LongPath longPath = LongPath.of(access, path);
                Arena arena = Arena.ofConfined()) {
            int flags = LinuxConstants.O_WRONLY | LinuxConstants.O_CREAT | LinuxConstants.O_TRUNC;
            int descriptor = access.open(longPath.base(), access.name(longPath.rest()), flags, 0666);
            try {
                access.writeFully(descriptor, arena.allocateFrom(ValueLayout.JAVA_BYTE, content));
            } catch (SystemCallException e) {
                access.closeQuietly(descriptor);
                throw e;
            }
            access.close(descriptor);
        }
    }

    /**
     * Opens a file for writing, to be continued or truncated; creates it if it does not exist. Any thread may write.
     */
    public static OutputStream create(ByteString path, boolean isContinued) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            int flags = LinuxConstants.O_WRONLY | LinuxConstants.O_CREAT | (isContinued ? 0 : LinuxConstants.O_TRUNC);
            int descriptor = access.open(longPath.base(), access.name(longPath.rest()), flags, 0666);
            try {
                // Java's own stream, independent of the bytes in the name.
                return new FileOutputStream("/proc/self/fd/" + descriptor, isContinued);
            } finally {
                access.closeQuietly(descriptor);
            }
        }
    }

    /** Writes the content of a file. */
    @FunctionalInterface
    public interface Content {

        /** Writes everything; does not close the stream. */
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes a new file, or replaces an existing one, in one step: the data go to a file of the same name with
     * {@code .part} at the end, which is renamed when it is complete and synced. If this fails, the old file stays, and
     * the partial one is removed. A device or FIFO is written to, and so is what a symbolic link names: the link, such
     * as {@code /dev/stdout}, stays.
     */
    public static void replace(ByteString path, Content content) throws IOException {
        if (isSpecial(path)) {
            try (OutputStream out = new BufferedOutputStream(create(path, false), 64 * 1024)) {
                content.writeTo(out);
            }
            return;
        }
        ByteString part = part(path);
        try (OutputStream out = create(part, false); OutputStream buffer = new BufferedOutputStream(out, 64 * 1024)) {
            content.writeTo(buffer);
            buffer.flush();
            if (out instanceof FileOutputStream file) {
                file.getFD().sync();
            }
        } catch (IOException | RuntimeException e) {
            try {
                remove(part);
            } catch (IOException left) {
                // Also if it was not made.
                e.addSuppressed(left);
            }
            throw e;
        }
        rename(part, path);
    }

    /** Checks that {@link #replace} can create its file; leaves nothing behind. */
    public static void checkReplaceable(ByteString path) throws IOException {
        if (!isSpecial(path)) {
            create(part(path), false).close();
            remove(part(path));
        }
    }

    private static boolean isSpecial(ByteString path) throws IOException {
        return find(path, false).filter(status -> status.kind() != EntryKind.REGULAR).isPresent();
    }

    private static ByteString part(ByteString path) {
        return path.plus(PART);
    }

    private static void rename(ByteString from, ByteString to) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls());
                LongPath old = LongPath.of(access, from);
                LongPath next = LongPath.of(access, to)) {
            FileAccess.check("rename", access.calls()
                    .renameat2(old.base(), access.name(old.rest()), next.base(), access.otherName(next.rest()), 0));
        }
    }

    /** Returns the status of a file, following symbolic links; empty if it does not exist. */
    public static Optional<FileStatus> find(ByteString path) throws IOException {
        return find(path, true);
    }

    private static Optional<FileStatus> find(ByteString path, boolean follows) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            return Optional.ofNullable(LongPath.find(access, path, follows));
        }
    }

    /** Creates a directory unless it exists, possibly as a symbolic link to a directory. */
    static void makeDirectory(ByteString path) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            MemorySegment name = access.name(longPath.rest());
            int result = access.calls().mkdirat(longPath.base(), name, 0777);
            if (result < 0 && result != -Errno.EEXIST) {
                throw new SystemCallException("mkdir", -result);
            }
        }
    }

    /** Removes a file. */
    public static void remove(ByteString path) throws IOException {
        try (FileAccess access = FileAccess.open(Linux.calls()); LongPath longPath = LongPath.of(access, path)) {
            int result = access.calls().unlinkat(longPath.base(), access.name(longPath.rest()), 0);
            if (result < 0) {
                throw new SystemCallException("unlink", -result);
            }
        }
    }
}
