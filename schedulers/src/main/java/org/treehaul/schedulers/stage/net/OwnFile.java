// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.io.IOException;
import java.lang.foreign.ValueLayout;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SafePath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.UnsafePathException;
import org.treehaul.core.fs.linux.Linux;

/** Small files that only this user may read. */
final class OwnFile {

    private OwnFile() {}

    /**
     * Reads a file.
     *
     * @param kind its content, for messages
     * @param most the number of bytes after which nothing more is read, at most {@link FileAccess#BUFFER_BYTES}
     * @throws UnsafePathException if another user owns the file, or it is open to others
     */
    static byte[] read(ByteString file, String kind, int most) throws IOException, SystemCallException {
        // The checks apply to the open file that is read, not to its name.
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            int descriptor = access.open(AT_FDCWD, access.name(file.toBytes()), O_RDONLY | O_NONBLOCK, 0);
            try {
                requireOwn(file, kind, access.status(descriptor));
                long length = access.readFully(descriptor, access.buffer().asSlice(0, most));
                return access.buffer().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
            } finally {
                access.closeQuietly(descriptor);
            }
        }
    }

    private static void requireOwn(ByteString file, String kind, FileStatus status) throws IOException {
        if (EntryKind.ofMode(status.mode()) != EntryKind.REGULAR) {
            throw new UnsafePathException(file + " is not a regular file, so it is no " + kind);
        }
        long self = ProcessStatus.read().effectiveUid();
        if (status.uid() != self) {
            throw new UnsafePathException("the " + kind + " in " + file + " belongs to user " + status.uid()
                    + ", not to " + self + ", so others know it");
        }
        if ((status.mode() & SafePath.ALL) != 0) {
            throw new UnsafePathException("the " + kind + " in " + file + " is open to others (mode "
                    + Integer.toOctalString(status.mode() & 07777) + "): replace it by a new one with mode 600");
        }
    }
}
