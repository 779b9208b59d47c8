// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * A tree of any size that takes no memory: two levels of directories, with files and a symbolic link in each directory
 * of the second level. The first 8 bytes of a file are its number; most files have at most 60 bytes, one of 100,000 has
 * a mebibyte.
 *
 * @param directories number of directories on the first level, and of those in each of them
 * @param files number of files in each directory of the second level
 */
public record GeneratedTree(int directories, int files) implements SourceTree {

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final int LARGE = 1 << 20;
    private static final int LARGE_DISTANCE = 100_000;
    private static final ByteString LINK = ByteString.of("link");
    private static final ByteString LINK_TARGET = ByteString.of("0");

    /** Returns the number of all files. */
    public long fileCount() {
        return leafCount() * files;
    }

    /** Returns the number of directories on the second level. */
    public long leafCount() {
        return (long) directories * directories;
    }

    /** Returns the number of all directories, the root included. */
    public long directoryCount() {
        return 1 + directories + leafCount();
    }

    /** Returns the size of a file. */
    public static long size(long number) {
        return number % LARGE_DISTANCE == LARGE_DISTANCE - 1 ? LARGE : 8 + number % 53;
    }

    /** Returns the number in the first bytes of a file. */
    static long number(MemorySegment beginning) {
        return beginning.get(WORD, 0);
    }

    @Override
    public void list(TreePath directory, Listing listing) throws SystemCallException {
        boolean isLeaf = directory.depth() == 2;
        if (directory.depth() > 2) {
            throw new SystemCallException("open", Errno.ENOTDIR);
        }
        for (int i = 0; i < (isLeaf ? files : directories); i++) {
            byte[] name = Integer.toString(i).getBytes(StandardCharsets.US_ASCII);
            if (!listing.entry(name, isLeaf ? EntryKind.REGULAR : EntryKind.DIRECTORY)) {
                return;
            }
        }
        if (isLeaf) {
            listing.entry(LINK.toBytes(), EntryKind.SYMLINK);
        }
    }

    private static int parse(TreePath path) throws SystemCallException {
        try {
            return Integer.parseInt(new String(path.nameBytes(), StandardCharsets.US_ASCII));
        } catch (NumberFormatException e) {
            throw new SystemCallException("open", Errno.ENOENT);
        }
    }

    private long number(TreePath file) throws SystemCallException {
        TreePath leaf = file.parent();
        return ((long) parse(leaf.parent()) * directories + parse(leaf)) * files + parse(file);
    }

    @Override
    public FileStatus status(TreePath entry) throws SystemCallException {
        if (entry.depth() < 3) {
            return MapStore.status(EntryKind.DIRECTORY, 0755, entry.depth());
        }
        return entry.name().equals(LINK) ? MapStore.status(EntryKind.SYMLINK, 0777, 1) : open(entry).status();
    }

    @Override
    public SourceFile open(TreePath file) throws SystemCallException {
        if (file.depth() != 3) {
            throw new SystemCallException("open", Errno.EISDIR);
        }
        return new GeneratedFile(number(file));
    }

    @Override
    public ByteString linkTarget(TreePath link) {
        return LINK_TARGET;
    }

    @Override
    public void close() {
        // It holds nothing.
    }

    private static final class GeneratedFile implements SourceFile {
        private final long number;
        private final long size;
        private long position;

        GeneratedFile(long number) {
            this.number = number;
            this.size = size(number);
        }

        @Override
        public FileStatus status() {
            return new FileStatus(EntryKind.REGULAR.typeBits() | 0644, 1, 1, 1, number, 2, 0, size,
                    Math.ceilDiv(size, 512), 1, 0, 1, 0, 1, 0, false, 0, 0);
        }

        @Override
        public long read(MemorySegment into, long offset) {
            long n = Math.clamp(size - offset, 0, into.byteSize());
            into.asSlice(0, n).fill((byte) number);
            if (offset == 0 && n >= Long.BYTES) {
                into.set(WORD, 0, number);
            }
            return n;
        }

        @Override
        public long read(MemorySegment into) {
            long n = read(into, position);
            position += n;
            return n;
        }

        @Override
        public void rewind() {
            position = 0;
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }
}
