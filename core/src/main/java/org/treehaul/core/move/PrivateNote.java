// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;

/**
 * A small file that a move leaves for the next one, in a directory where other users may be able to write: it is
 * replaced atomically, and only one that this user has written is read.
 */
final class PrivateNote {

    private static final byte[] MAGIC = {'T', 'H', 'M', 'V', 1};
    private static final int PRIVATE = 0600;
    private static final int OF_OTHERS = 0077;
    private static final ByteString NEW = ByteString.of("-new");
    private static final long LARGEST = 64L << 20;

    private PrivateNote() {}

    /** Writes a file and syncs it; an existing one keeps its content until the new one is complete. */
    static void write(FileAccess access, ByteString place, byte[] content) throws SystemCallException {
        ByteString temporary = place.plus(NEW);
        remove(access, temporary);
        try (LongPath from = LongPath.of(access, temporary); LongPath to = LongPath.of(access, place)) {
            int file = access.open(from.base(), access.rootName(from.rest()), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW,
                    PRIVATE);
            try (Arena arena = Arena.ofConfined()) {
                access.writeFully(file, arena.allocateFrom(ValueLayout.JAVA_BYTE, framed(content)));
                FileAccess.check("fsync", access.calls().fsync(file));
            } catch (SystemCallException e) {
                access.closeQuietly(file);
                remove(access, temporary);
                throw e;
            }
            try {
                access.close(file);
                FileAccess.check("rename", access.calls()
                        .renameat2(from.base(), access.name(from.rest()), to.base(), access.otherName(to.rest()), 0));
            } catch (SystemCallException e) {
                remove(access, temporary);
                throw e;
            }
        }
    }

    private static byte[] framed(byte[] content) {
        CRC32C sum = new CRC32C();
        sum.update(content);
        return ByteBuffer.allocate(MAGIC.length + Long.BYTES + content.length)
                .put(MAGIC)
                .putLong(sum.getValue())
                .put(content)
                .array();
    }

    /** Returns the content of a file; empty if there is none, or if this user has not written it. */
    static byte[] read(FileAccess access, ByteString place) throws SystemCallException, IOException {
        try (LongPath path = LongPath.of(access, place)) {
            int file = access.tryOpen(path.base(), access.rootName(path.rest()), O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            if (file == -Errno.ENOENT) {
                return new byte[0];
            }
            FileAccess.check("open", file);
            try (Arena arena = Arena.ofConfined()) {
                FileStatus status = access.status(file);
                if (!isOwn(status)) {
                    return new byte[0];
                }
                MemorySegment all = arena.allocate(status.size());
                long length = access.readFully(file, all);
                return content(all.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
            } finally {
                access.closeQuietly(file);
            }
        }
    }

    // Another user could have entries of this user removed.
    private static boolean isOwn(FileStatus status) throws IOException {
        return status.kind() == EntryKind.REGULAR && status.uid() == ProcessStatus.read().effectiveUid()
                && (status.mode() & OF_OTHERS) == 0 && status.size() <= LARGEST;
    }

    private static byte[] content(byte[] framed) {
        int begin = MAGIC.length + Long.BYTES;
        if (framed.length < begin || !Arrays.equals(framed, 0, MAGIC.length, MAGIC, 0, MAGIC.length)) {
            return new byte[0];
        }
        CRC32C sum = new CRC32C();
        sum.update(framed, begin, framed.length - begin);
        boolean isWhole = ByteBuffer.wrap(framed).getLong(MAGIC.length) == sum.getValue();
        return isWhole ? Arrays.copyOfRange(framed, begin, framed.length) : new byte[0];
    }

    /** Removes a file if it exists and can be removed. */
    static void remove(FileAccess access, ByteString place) {
        try (LongPath path = LongPath.of(access, place)) {
            access.calls().unlinkat(path.base(), access.rootName(path.rest()), 0);
        } catch (SystemCallException e) {
            // Without the directories on the way there is no file.
        }
    }
}
