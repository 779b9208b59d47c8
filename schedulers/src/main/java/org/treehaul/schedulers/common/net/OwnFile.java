// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common.net;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;

/** A small file that only another process of this user can have written, such as one with a secret. */
public final class OwnFile {

    private static final String REMEDY = "use a file in a directory that only you can write to";

    /** Thrown if another user could have written the file, or could read it. */
    public static final class ForeignFileException extends IOException {
        private static final long serialVersionUID = 1;

        ForeignFileException(String message) {
            super(message);
        }
    }

    private OwnFile() {}

    /**
     * Reads the file.
     *
     * @param writer the process that writes it, for messages
     * @return its lines, decoded as UTF-8; empty if there is no file
     * @throws ForeignFileException if it is not a regular file of this user that is closed to all others
     * @throws IOException if it cannot be read
     */
    public static Optional<List<String>> lines(Path file, String writer) throws IOException {
        byte[] name = ByteString.of(file.toAbsolutePath()).toBytes();
        // The checks apply to the open file that is read, not to its name.
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = access.open(AT_FDCWD, access.name(name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            try {
                FileStatus status = access.status(descriptor);
                requireOwn(file, status, writer);
                long length = access.readFully(descriptor, access.buffer());
                byte[] bytes = access.buffer().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
                return Optional.of(new String(bytes, StandardCharsets.UTF_8).lines().toList());
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return Optional.empty();
            }
            if (e.errno() == Errno.ELOOP) {
                throw new ForeignFileException(
                        file + " is a symbolic link, which " + writer + " never creates: " + REMEDY);
            }
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    private static void requireOwn(Path file, FileStatus status, String writer) throws IOException {
        long self = ProcessStatus.read().effectiveUid();
        String not = ", so " + writer + " did not write it: " + REMEDY;
        if (EntryKind.ofMode(status.mode()) != EntryKind.REGULAR) {
            throw new ForeignFileException(file + " is not a regular file" + not);
        }
        if (status.uid() != self) {
            throw new ForeignFileException(file + " belongs to user " + status.uid() + ", not to " + self + not);
        }
        if ((status.mode() & SafePath.ALL) != 0) {
            throw new ForeignFileException(
                    file + " is open to others (mode " + Integer.toOctalString(status.mode() & 07777) + ")" + not);
        }
    }
}
