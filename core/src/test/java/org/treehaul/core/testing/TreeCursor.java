// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.treehaul.core.fs.FileAccess.check;
import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/** Moves up and down in a tree of any depth with one open directory. Follows no symbolic links. */
final class TreeCursor implements AutoCloseable {

    // struct linux_dirent64 of linux/dirent.h
    private static final long RECORD_LENGTH = 16;
    private static final long RECORD_NAME = 19;

    private final FileAccess access;
    private int directory;

    TreeCursor(FileSystemCalls calls, Path root) throws SystemCallException {
        access = FileAccess.open(calls);
        byte[] path = root.toString().getBytes(StandardCharsets.UTF_8);
        try {
            directory = access.openDirectory(AT_FDCWD, access.name(path));
        } catch (SystemCallException failure) {
            access.close();
            throw failure;
        }
    }

    FileAccess access() {
        return access;
    }

    int directory() {
        return directory;
    }

    void down(ByteString name) throws SystemCallException {
        move(name.toBytes());
    }

    void up() throws SystemCallException {
        move(new byte[]{'.', '.'});
    }

    private void move(byte[] name) throws SystemCallException {
        int next = access.openDirectory(directory, access.name(name));
        try {
            // A directory that can be listed but not searched would offer no way back up.
            access.status(next, access.name(new byte[]{'.'}));
        } catch (SystemCallException failure) {
            access.closeQuietly(next);
            throw failure;
        }
        access.closeQuietly(directory);
        directory = next;
    }

    /** Returns the names in the directory, without the dots. */
    List<ByteString> list() throws SystemCallException {
        List<ByteString> names = new ArrayList<>();
        MemorySegment listing = access.listing();
        int filled;
        do {
            filled = check("getdents64", access.calls().getdents64(directory, listing));
            int length;
            for (int at = 0; at < filled; at += length) {
                length = Short.toUnsignedInt(listing.get(JAVA_SHORT_UNALIGNED, at + RECORD_LENGTH));
                String name = listing.asSlice(at + RECORD_NAME, length - RECORD_NAME)
                        .getString(0, StandardCharsets.ISO_8859_1);
                if (!name.equals(".") && !name.equals("..")) {
                    names.add(ByteString.of(name.getBytes(StandardCharsets.ISO_8859_1)));
                }
            }
        } while (filled > 0);
        return names;
    }

    /** Returns the name as a path for calls without an *at form, in the second piece of scratch memory. */
    MemorySegment path(ByteString name) throws SystemCallException {
        return access.otherName(Names.join(ByteString.of("/proc/self/fd/" + directory), name).toBytes());
    }

    static byte[] bytes(MemorySegment segment, long length) {
        return segment.asSlice(0, length).toArray(JAVA_BYTE);
    }

    @Override
    public void close() {
        access.closeQuietly(directory);
        access.close();
    }
}
