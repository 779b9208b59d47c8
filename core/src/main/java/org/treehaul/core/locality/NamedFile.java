// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.locality;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Optional;
import java.util.function.Supplier;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * A file whose attributes are read by name or by descriptor.
 *
 * @param descriptor that of the file if it is open, else that of the directory in which the name is
 * @param path the name or path of the file, NUL-ended
 * @param status the status of the file
 * @param mounts reads /proc/self/mountinfo
 */
record NamedFile(FileAccess access, int descriptor, MemorySegment path, FileStatus status, boolean isOpen,
        Supplier<String> mounts) implements LayoutFile {

    private static final int MOST_AT_TOP = 4096;

    @Override
    public ByteString name() {
        int length = 0;
        int start = 0;
        for (byte b = path.get(ValueLayout.JAVA_BYTE, 0); b != 0; b = path.get(ValueLayout.JAVA_BYTE, length)) {
            length++;
            start = b == '/' ? length : start;
        }
        return ByteString.of(path.asSlice(start, length - start).toArray(ValueLayout.JAVA_BYTE));
    }

    @Override
    public long size() {
        return status.size();
    }

    @Override
    public long inode() {
        return status.inode();
    }

    @Override
    public Optional<ByteString> atTop(String name) throws SystemCallException {
        Optional<ByteString> top = MountTypes.topOf(status.device(), mounts.get());
        if (top.isEmpty()) {
            return Optional.empty();
        }
        // Not the memory of the access, which may have the path.
        try (Arena arena = Arena.ofConfined()) {
            byte[] path = top.get().plus(ByteString.of("/" + name + "\0")).toBytes();
            int opened = access.tryOpen(AT_FDCWD, arena.allocateFrom(ValueLayout.JAVA_BYTE, path),
                    O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
            if (opened == -Errno.ENOENT || opened == -Errno.EACCES || opened == -Errno.EPERM) {
                return Optional.empty();
            }
            FileAccess.check("open " + name, opened);
            try {
                FileStatus found = access.status(opened);
                if (found.device() != status.device() || found.kind() != EntryKind.REGULAR) {
                    return Optional.empty();
                }
                MemorySegment bytes = arena.allocate(MOST_AT_TOP);
                long count = access.readFully(opened, bytes);
                return Optional.of(ByteString.of(bytes.asSlice(0, count).toArray(ValueLayout.JAVA_BYTE)));
            } finally {
                access.closeQuietly(opened);
            }
        }
    }

    @Override
    public Optional<ByteString> attribute(String attribute) throws SystemCallException {
        ByteString name = ByteString.of(attribute);
        try {
            return isOpen
                    ? ExtendedAttributes.get(access, descriptor, name)
                    : ExtendedAttributes.get(access, descriptor, path, name);
        } catch (SystemCallException e) {
            if (e.errno() == Errno.EPERM || e.errno() == Errno.EACCES) {
                return Optional.empty();
            }
            throw e;
        }
    }
}
