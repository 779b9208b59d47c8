// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/**
 * What the index knows of an entry: the status that it had when it was seen.
 *
 * <p>
 * Times are nanoseconds since 1970; what lies before the year 1677 or after 2262 is kept as the first or last that
 * fits.
 *
 * @param directory the whole path of the directory that it stands in; empty for the root of the file system
 * @param name its name there; a slash for the root of the file system
 * @param kind what it is
 * @param size bytes
 * @param blocks units of 512 bytes that are allocated
 * @param atime last access
 * @param mtime last change of the data
 * @param ctime last change of the status
 * @param btime when it was made, null where the file system does not tell
 * @param mode permission bits with set-id and sticky bits, without the type
 * @param owner numeric owner
 * @param group numeric group
 * @param links number of hard links
 * @param inode inode number, unsigned 64 bits
 * @param device number of the device it is on
 * @param target where a symbolic link points, null for all else
 * @param hash hash of the data, null where it was not asked for or not made yet
 * @param unread whether this is a directory of which the last index could not read all, so that what is told of its
 *        content may be old
 * @param generation number of the index run that found the entry new or changed
 */
public record FileTuple(ByteString directory, ByteString name, EntryKind kind, long size, long blocks, long atime,
        long mtime, long ctime, @Nullable Long btime, int mode, long owner, long group, long links, long inode,
        long device, @Nullable ByteString target, @Nullable ByteString hash, boolean unread, long generation) {

    private static final long NANOS = 1_000_000_000;

    /** Makes a tuple. */
    public FileTuple {
        Objects.requireNonNull(directory);
        Objects.requireNonNull(name);
        Objects.requireNonNull(kind);
    }

    /** Returns the tuple of an entry that was just found. */
    static FileTuple of(ByteString directory, ByteString name, FileStatus status, @Nullable ByteString target,
            long generation) {
        return new FileTuple(directory, name, status.kind(), status.size(), status.blocks(),
                nanos(status.atimeSeconds(), status.atimeNanos()), nanos(status.mtimeSeconds(), status.mtimeNanos()),
                nanos(status.ctimeSeconds(), status.ctimeNanos()),
                status.hasBirthTime() ? nanos(status.btimeSeconds(), status.btimeNanos()) : null, status.permissions(),
                status.uid(), status.gid(), status.linkCount(), status.inode(), status.device(), target, null, false,
                generation);
    }

    /** Returns the nanoseconds since 1970 of a time, the first or last there are where it lies outside. */
    static long nanos(long seconds, int nanos) {
        try {
            // Before 1970 the product of the seconds alone may be below what the sum is not.
            return seconds < 0
                    ? Math.addExact(Math.multiplyExact(seconds + 1, NANOS), nanos - NANOS)
                    : Math.addExact(Math.multiplyExact(seconds, NANOS), nanos);
        } catch (ArithmeticException e) {
            return seconds < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /** Returns this with a hash. */
    FileTuple withHash(@Nullable ByteString made) {
        return new FileTuple(directory, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links,
                inode, device, target, made, unread, generation);
    }

    /** Returns this with the mark of a directory that could not be read, or without it. */
    FileTuple withUnread(boolean isUnread, long inGeneration) {
        return new FileTuple(directory, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links,
                inode, device, target, hash, isUnread, inGeneration);
    }

    /**
     * Returns whether both tell the same of the entry, whichever index found it and whatever hash is known. That a
     * directory or a link was read says nothing: an index run reads them itself.
     */
    boolean isSameEntry(FileTuple other) {
        boolean isReadByIndex = kind == EntryKind.DIRECTORY || kind == EntryKind.SYMLINK;
        return size == other.size && mtime == other.mtime && ctime == other.ctime && inode == other.inode
                && kind == other.kind && blocks == other.blocks && (isReadByIndex || atime == other.atime)
                && mode == other.mode && owner == other.owner && group == other.group && links == other.links
                && device == other.device && unread == other.unread && Objects.equals(btime, other.btime)
                && Objects.equals(target, other.target);
    }

    /** Returns whether the data of a regular file are what they were, as far as its status can tell. */
    boolean hasSameData(FileTuple other) {
        return kind == other.kind && size == other.size && mtime == other.mtime && ctime == other.ctime
                && inode == other.inode && device == other.device;
    }

    /** Returns its whole path, from the root of the file system. */
    public ByteString path() {
        return join(directory, name);
    }

    /** Returns the path of a name in a directory. */
    static ByteString join(ByteString directory, ByteString name) {
        if (directory.length() == 0) {
            return name;
        }
        byte[] head = directory.toBytes();
        byte[] tail = name.toBytes();
        boolean needsSlash = head[head.length - 1] != '/';
        byte[] path = Arrays.copyOf(head, head.length + tail.length + (needsSlash ? 1 : 0));
        path[path.length - tail.length - 1] = '/';
        System.arraycopy(tail, 0, path, path.length - tail.length, tail.length);
        return ByteString.of(path);
    }

    /** Returns the directory that a whole path without a slash at its end stands in. */
    static ByteString directoryOf(ByteString path) {
        int slash = lastSlash(path);
        if (path.length() == 1) {
            return ByteString.empty();
        }
        return ByteString.of(Arrays.copyOf(path.toBytes(), Math.max(1, slash)));
    }

    /** Returns the last name of a whole path without a slash at its end. */
    static ByteString nameOf(ByteString path) {
        return path.length() == 1
                ? path
                : ByteString.of(Arrays.copyOfRange(path.toBytes(), lastSlash(path) + 1, path.length()));
    }

    private static int lastSlash(ByteString path) {
        int slash = path.length() - 1;
        while (path.at(slash) != '/') {
            slash--;
        }
        return slash;
    }
}
