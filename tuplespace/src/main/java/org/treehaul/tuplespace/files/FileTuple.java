// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.Arrays;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.condition.EntryValues;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.ServerNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;

/**
 * The status of an entry at the time when the index saw it.
 * <p>
 * Times are nanoseconds since 1970; times before 1677 or after 2262 are stored as the first or last one that fits.
 *
 * @param directory absolute path of the directory that contains the entry; empty for the root of the file system
 * @param name name in that directory; a slash for the root of the file system
 * @param kind kind of the entry
 * @param size size in bytes
 * @param blocks number of 512-byte blocks allocated
 * @param atime time of the last access
 * @param mtime time of the last change of the data
 * @param ctime time of the last change of the status
 * @param btime time of creation, null if the file system does not report it
 * @param mode permission bits with set-id and sticky bits, without the type
 * @param owner numeric ID of the owner
 * @param group numeric ID of the group
 * @param links number of hard links
 * @param inode inode number, unsigned 64 bits
 * @param device number of the device that contains the entry
 * @param target target of a symbolic link, null for all else
 * @param hash hash of the data, null if not requested or not made yet
 * @param unread whether this is a directory that the last run could not read completely, so that its entries may be
 *        outdated
 * @param generation number of the index run that found the entry new or changed; 0 for a directory that does not meet
 *        the conditions of the index, which later runs need to find what is gone
 * @param server the servers that have data of a regular file, as {@link ServerNames} writes them; null if not requested
 *        or unknown
 */
public record FileTuple(ByteString directory, ByteString name, EntryKind kind, long size, long blocks, long atime,
        long mtime, long ctime, @Nullable Long btime, int mode, long owner, long group, long links, long inode,
        long device, @Nullable ByteString target, @Nullable ByteString hash, boolean unread, long generation,
        @Nullable ByteString server) implements EntryValues<RuntimeException> {

    public FileTuple {
        Objects.requireNonNull(directory);
        Objects.requireNonNull(name);
        Objects.requireNonNull(kind);
    }

    /** Creates a tuple without servers. */
    public FileTuple(ByteString directory, ByteString name, EntryKind kind, long size, long blocks, long atime,
            long mtime, long ctime, @Nullable Long btime, int mode, long owner, long group, long links, long inode,
            long device, @Nullable ByteString target, @Nullable ByteString hash, boolean unread, long generation) {
        this(directory, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links, inode, device,
                target, hash, unread, generation, null);
    }

    /** Returns the tuple of an entry that was just found. */
    @Internal
    public static FileTuple of(ByteString directory, ByteString name, FileStatus status, @Nullable ByteString target,
            long generation) {
        return new FileTuple(directory, name, status.kind(), status.size(), status.blocks(),
                Timestamp.sinceEpoch(status.atimeSeconds(), status.atimeNanos()),
                Timestamp.sinceEpoch(status.mtimeSeconds(), status.mtimeNanos()),
                Timestamp.sinceEpoch(status.ctimeSeconds(), status.ctimeNanos()),
                status.hasBirthTime() ? Timestamp.sinceEpoch(status.btimeSeconds(), status.btimeNanos()) : null,
                status.permissions(), status.uid(), status.gid(), status.linkCount(), status.inode(), status.device(),
                target, null, false, generation);
    }

    /** Returns a copy in the directory with this path. */
    @Internal
    public FileTuple in(ByteString path) {
        return new FileTuple(path, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links,
                inode, device, target, hash, unread, generation, server);
    }

    /** Returns a copy with a hash. */
    @Internal
    public FileTuple withHash(@Nullable ByteString made) {
        return new FileTuple(directory, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links,
                inode, device, target, made, unread, generation, server);
    }

    /** Returns a copy with or without the mark of a directory that could not be read. */
    @Internal
    public FileTuple withUnread(boolean isUnread, long inGeneration) {
        return new FileTuple(directory, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links,
                inode, device, target, hash, isUnread, inGeneration, server);
    }

    /** Returns a copy with the servers of the data. */
    @Internal
    public FileTuple withServer(@Nullable ByteString servers) {
        return new FileTuple(directory, name, kind, size, blocks, atime, mtime, ctime, btime, mode, owner, group, links,
                inode, device, target, hash, unread, generation, servers);
    }

    /**
     * Returns whether both describe the same state of the entry, regardless of index run, hash and servers. Ignores the
     * access time of directories and symbolic links, because an index run itself reads them.
     */
    @Internal
    public boolean isSameEntry(FileTuple other) {
        boolean isReadByIndex = kind == EntryKind.DIRECTORY || kind == EntryKind.SYMLINK;
        return size == other.size && mtime == other.mtime && ctime == other.ctime && inode == other.inode
                && kind == other.kind && blocks == other.blocks && (isReadByIndex || atime == other.atime)
                && mode == other.mode && owner == other.owner && group == other.group && links == other.links
                && device == other.device && unread == other.unread && Objects.equals(btime, other.btime)
                && Objects.equals(target, other.target);
    }

    /** Returns whether the entry meets the conditions of the index, so that it belongs to the answers of queries. */
    @Internal
    public boolean isSelected() {
        return generation > 0;
    }

    /** Returns whether the data of a regular file are unchanged, as far as the status shows. */
    @Internal
    public boolean hasSameData(FileTuple other) {
        return kind == other.kind && size == other.size && mtime == other.mtime && ctime == other.ctime
                && inode == other.inode && device == other.device;
    }

    @Override
    public @Nullable ByteString text(FileField field) {
        return switch (field) {
            case PATH -> path();
            case DIRECTORY -> directory;
            case NAME -> name;
            case EXTENSION -> FileField.extension(name);
            case TARGET -> target;
            case HASH -> hash;
            case SERVER -> server;
            default -> throw new IllegalArgumentException(field.label() + " is a number");
        };
    }

    @Override
    public @Nullable Long number(FileField field) {
        return switch (field) {
            case KIND -> (long) FileField.KINDS.indexOf(kind);
            case SIZE -> size;
            case BLOCKS -> blocks;
            case ATIME -> atime;
            case MTIME -> mtime;
            case CTIME -> ctime;
            case BTIME -> btime;
            case MODE -> (long) mode;
            case OWNER -> owner;
            case GROUP -> group;
            case LINKS -> links;
            case INODE -> inode;
            case DEVICE -> device;
            case UNREAD -> unread ? 1L : 0L;
            case GENERATION -> generation;
            default -> throw new IllegalArgumentException(field.label() + " is not a number");
        };
    }

    /** Returns the absolute path. */
    public ByteString path() {
        return join(directory, name);
    }

    /** Returns the path of a name in a directory. */
    @Internal
    public static ByteString join(ByteString directory, ByteString name) {
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

    /** Returns the directory part of an absolute path without trailing slash. */
    @Internal
    public static ByteString directoryOf(ByteString path) {
        int slash = lastSlash(path);
        if (path.length() == 1) {
            return ByteString.empty();
        }
        return ByteString.of(Arrays.copyOf(path.toBytes(), Math.max(1, slash)));
    }

    /** Returns the last component of an absolute path without trailing slash. */
    @Internal
    public static ByteString nameOf(ByteString path) {
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
