// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static org.treehaul.core.testing.Names.join;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * A tree of everything that copy programs get wrong, each {@link Part} in a directory of its own. Parts that this
 * machine, user or file system does not support are recorded in {@link #lacking()} with the reason.
 */
public final class HostileTree {

    /**
     * The size from which a file is cut into chunks if a test sets that threshold; there are files around this size.
     */
    public static final int CHUNK_BYTES = 1024 * 1024;

    private static final long GIB = 1L << 30;
    private static final long NULL_DEVICE = 0x103; // makedev(1, 3), as in Documentation/admin-guide/devices.txt
    private static final long LOOP_DEVICE = 0x7c8; // makedev(7, 200), a block device that is not in use

    private final Map<Part, String> lacking = new EnumMap<>(Part.class);

    /** The kinds of difficulty. */
    public enum Part {
        /** A file and a directory with a file in it for each of {@link Names#hostile()}. */
        NAMES,
        /** A file whose path is longer than PATH_MAX (4096). */
        DEEP_PATH,
        /** Holes at the start, in the middle, at the end, everywhere; beyond 4 GiB. */
        SPARSE,
        /** Groups of hard links within a directory and across directories; to a symbolic link and a FIFO. */
        HARD_LINKS,
        /** FIFOs and sockets. */
        SPECIAL_FILES,
        /** Character and block devices; root only. */
        DEVICES,
        /**
         * Files and directories without some or all permissions, with set-id and sticky bits; for users other than root
         * only those that they can read.
         */
        MODES,
        /** Extended attributes: many, an empty one, a long one, on a directory. */
        ATTRIBUTES,
        /** POSIX ACLs: access ones on a file and a directory, a default one. */
        ACLS,
        /** Times before 1970 and beyond 2100, with nanoseconds. */
        TIMES,
        /** An empty file, an empty directory, directories of only directories. */
        EMPTY,
        /** Symbolic links that dangle, loop, lead to directories and out of the tree, with odd and long targets. */
        SYMLINKS,
        /** Files around the sizes of the buffer, of a page and of a chunk. */
        SIZES,
        /** Files of other owners, with high numbers; root only. */
        OWNERS
    }

    /** Creates a part. */
    private interface Maker {
        void make(TreeWriter writer, ByteString directory);
    }

    private HostileTree() {}

    /** Creates every part in the directory. */
    public static HostileTree make(FileSystemCalls calls, Path root) {
        return make(calls, root, EnumSet.allOf(Part.class));
    }

    /** Creates these parts in the directory. */
    public static HostileTree make(FileSystemCalls calls, Path root, Set<Part> parts) {
        HostileTree tree = new HostileTree();
        for (Part part : parts) {
            // A separate writer for each part, because one that failed must not set the rest of its modes.
            try (TreeWriter writer = TreeWriter.in(calls, root)) {
                maker(part).make(writer, ByteString.of(part.name()));
            } catch (UncheckedIOException failure) {
                tree.lacking.put(part, reason(failure));
            }
        }
        return tree;
    }

    /** Returns the parts that could not be created completely, each with the reason. */
    public Map<Part, String> lacking() {
        return Collections.unmodifiableMap(lacking);
    }

    // Any other error is not a missing feature of the machine but a fault of the fixture.
    private static String reason(UncheckedIOException failure) {
        if (failure.getCause() instanceof SystemCallException call
                && Set.of(Errno.EPERM, Errno.EACCES, Errno.EOPNOTSUPP, Errno.ENOSPC, Errno.EFBIG, Errno.ENAMETOOLONG)
                        .contains(call.errno())) {
            return failure.getMessage() + ": " + call.getMessage();
        }
        throw failure;
    }

    private static Maker maker(Part part) {
        return switch (part) {
            case NAMES -> HostileTree::names;
            case DEEP_PATH -> HostileTree::deepPath;
            case SPARSE -> HostileTree::sparse;
            case HARD_LINKS -> HostileTree::hardLinks;
            case SPECIAL_FILES -> HostileTree::specialFiles;
            case DEVICES -> HostileTree::devices;
            case MODES -> HostileTree::modes;
            case ATTRIBUTES -> HostileTree::attributes;
            case ACLS -> HostileTree::acls;
            case TIMES -> HostileTree::times;
            case EMPTY -> HostileTree::empty;
            case SYMLINKS -> HostileTree::symlinks;
            case SIZES -> HostileTree::sizes;
            case OWNERS -> HostileTree::owners;
        };
    }

    private static void names(TreeWriter writer, ByteString in) {
        for (ByteString name : Names.hostile()) {
            writer.file(join(join(in, "files"), name), name.toBytes());
            writer.file(join(join(join(in, "directories"), name), name), name.toBytes());
        }
    }

    private static void deepPath(TreeWriter writer, ByteString in) {
        ByteString path = in;
        for (int i = 0; path.length() <= 4096; i++) {
            path = join(path, i + "-" + "d".repeat(200));
        }
        writer.file(join(path, "bottom"), path.toBytes())
                .symlink(join(path, "link"), ByteString.of("bottom"))
                .hardLink(join(path, "bottom"), join(path, "again"))
                .mode(join(path, "bottom"), 0640)
                .times(path, new Timestamp(1_000_000_000, 5));
    }

    private static void sparse(TreeWriter writer, ByteString in) {
        long size = 3L << 20;
        writer.sparse(join(in, "at-start"), size, size - 4096)
                .sparse(join(in, "at-end"), size, 0)
                .sparse(join(in, "in-middle"), size, 0, size - 4096)
                .sparse(join(in, "all"), size)
                .sparse(join(in, "islands"), size, 65536, 262144, 1 << 20)
                .sparse(join(in, "odd-end"), size + 5, size)
                .sparse(join(in, "beyond-4-gib"), 5 * GIB, 0, 4 * GIB + 8192, 5 * GIB - 4096);
    }

    private static void hardLinks(TreeWriter writer, ByteString in) {
        writer.file(join(in, "a/first"), 70_000, 1)
                .hardLink(join(in, "a/first"), join(in, "a/second"))
                .hardLink(join(in, "a/first"), join(in, "b/c/third"))
                .hardLink(join(in, "a/first"), join(in, "z"))
                .file(join(in, "a/empty"), 0, 1)
                .hardLink(join(in, "a/empty"), join(in, "b/empty"))
                .symlink(join(in, "a/link"), ByteString.of("nowhere"))
                .hardLink(join(in, "a/link"), join(in, "b/link"))
                .special(join(in, "a/fifo"), EntryKind.FIFO, 0)
                .hardLink(join(in, "a/fifo"), join(in, "b/fifo"));
    }

    private static void specialFiles(TreeWriter writer, ByteString in) {
        writer.special(join(in, "fifo"), EntryKind.FIFO, 0)
                .mode(join(in, "fifo"), 0620)
                .special(join(in, "socket"), EntryKind.SOCKET, 0);
    }

    private static void devices(TreeWriter writer, ByteString in) {
        writer.special(join(in, "null"), EntryKind.CHARACTER, NULL_DEVICE)
                .mode(join(in, "null"), 0666)
                .special(join(in, "loop"), EntryKind.BLOCK, LOOP_DEVICE);
    }

    private static void modes(TreeWriter writer, ByteString in) {
        for (int mode : readable(0400, 0, 0111, 0222, 0400, 0444, 0555, 0600, 0666, 0700, 0777, 01644, 02755, 04755,
                06711, 07777)) {
            String octal = Integer.toOctalString(mode);
            writer.file(join(in, "file-" + octal), mode, mode).mode(join(in, "file-" + octal), mode);
        }
        for (int mode : readable(0500, 0, 0111, 0444, 0555, 0700, 01777, 02775, 07777)) {
            ByteString directory = join(in, "directory-" + Integer.toOctalString(mode));
            writer.file(join(directory, "file"), mode, mode).mode(directory, mode);
        }
    }

    // Returns the modes that allow the user who creates the tree to read it again.
    private static int[] readable(int needed, int... modes) {
        return IntStream.of(modes).filter(mode -> Privilege.isRoot() || (mode & needed) == needed).toArray();
    }

    private static void attributes(TreeWriter writer, ByteString in) {
        ByteString file = join(in, "file");
        writer.file(file, 10, 1)
                .attribute(file, ByteString.of("user.empty"), ByteString.empty())
                .attribute(file, ByteString.of("user.binary"), Names.bytes(0, 255, 10, 0))
                .attribute(file, ByteString.of("user." + "n".repeat(250)), ByteString.of("name of 255 bytes"))
                .attribute(file, ByteString.of("user.long"), ByteString.of("v".repeat(2000)));
        ByteString directory = join(in, "directory");
        writer.directory(directory).attribute(directory, ByteString.of("user.kind"), ByteString.of("directory"));
        ByteString many = join(in, "many");
        writer.file(many, 0, 1);
        for (int i = 0; i < 40; i++) {
            writer.attribute(many, ByteString.of("user.number" + i), ByteString.of("value" + i));
        }
    }

    private static void acls(TreeWriter writer, ByteString in) {
        writer.file(join(in, "file"), 10, 1)
                .attribute(join(in, "file"), PosixAcl.ACCESS, PosixAcl.of(1234, 4321))
                .file(join(in, "inherits/file"), 10, 2)
                .directory(join(in, "inherits/directory"))
                .attribute(join(in, "inherits"), PosixAcl.DEFAULT, PosixAcl.ofDirectory(1235, 4322))
                .attribute(join(in, "inherits"), PosixAcl.ACCESS, PosixAcl.ofDirectory(1236, 4323));
    }

    private static void times(TreeWriter writer, ByteString in) {
        // Times on ext4 end with 34 bits of seconds in 2446, on older file systems with 32 bits; the kernel limits them
        // to that range.
        for (long seconds : new long[]{-2_000_000_000L, -1, 0, 1, 1_234_567_890, 1L << 31, 4_102_444_800L, 1L << 32,
                1L << 33}) {
            ByteString file = join(in, "file" + seconds);
            writer.file(file, 3, seconds).times(file, new Timestamp(seconds, 123_456_789));
        }
        ByteString link = join(in, "link");
        ByteString directory = join(in, "directory");
        writer.symlink(link, ByteString.of("nowhere"))
                .times(link, new Timestamp(987_654_321, 1))
                .file(join(directory, "file"), 3, 1)
                .times(directory, new Timestamp(-5, 999_999_999));
    }

    private static void empty(TreeWriter writer, ByteString in) {
        writer.file(join(in, "file"), 0, 1)
                .directory(join(in, "directory"))
                .directory(join(in, "only/directories/here"))
                .times(join(in, "only"), new Timestamp(1_500_000_000, 0));
    }

    private static void symlinks(TreeWriter writer, ByteString in) {
        byte[] longest = new byte[4095];
        Arrays.fill(longest, (byte) 't');
        writer.file(join(in, "directory/file"), 5, 1)
                .symlink(join(in, "to-file"), ByteString.of("directory/file"))
                .symlink(join(in, "to-directory"), ByteString.of("directory"))
                .symlink(join(in, "dangling"), ByteString.of("no/such/thing"))
                .symlink(join(in, "loop"), ByteString.of("loop"))
                .symlink(join(in, "one"), ByteString.of("two"))
                .symlink(join(in, "two"), ByteString.of("one"))
                .symlink(join(in, "up"), ByteString.of("../.."))
                .symlink(join(in, "directory/itself"), ByteString.of("."))
                .symlink(join(in, "outside"), ByteString.of("/proc/self/root"))
                .symlink(join(in, "invalid-utf8"), Names.INVALID_UTF8)
                .symlink(join(in, "odd"), ByteString.of("a\nb //./$(touch PW)/"))
                .symlink(join(in, "longest"), ByteString.of(longest));
    }

    private static void sizes(TreeWriter writer, ByteString in) {
        int buffer = FileAccess.BUFFER_BYTES;
        for (int size : new int[]{1, 4095, 4096, 4097, buffer - 1, buffer, buffer + 1, 2 * buffer, 2 * buffer + 1,
                CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 3 * CHUNK_BYTES + 12_345}) {
            writer.file(join(in, "size-" + size), size, size);
        }
    }

    private static void owners(TreeWriter writer, ByteString in) {
        long highest = (1L << 32) - 2; // -1 means "leave it" to chown(2)
        for (long id : new long[]{1, 65_534, 65_536, 1L << 31, highest}) {
            ByteString file = join(in, "owner-" + id);
            writer.file(file, 3, id).owner(file, id, id / 2).mode(file, 06755);
        }
        writer.symlink(join(in, "link"), ByteString.of("nowhere"))
                .owner(join(in, "link"), 1, 2)
                .directory(join(in, "directory"))
                .owner(join(in, "directory"), 3, 4);
    }
}
