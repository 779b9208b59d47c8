// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.testing;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.treehaul.core.fs.FileAccess.check;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.SEEK_DATA;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import java.util.zip.Checksum;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * The entries of a tree at one moment, for comparison with {@link TreeAssert}. It shares no code with the product
 * except the system calls, so that a fault of the product cannot hide itself.
 */
public final class TreeListing {

    private static final int BLOCK_BYTES = 4096;
    private static final MemorySegment ZEROES = Arena.global().allocate(BLOCK_BYTES);

    private final SortedMap<ByteString, ListedEntry> entries = new TreeMap<>();
    private final Map<String, ByteString> linkGroups = new HashMap<>();

    private record Frame(ByteString path, Deque<ByteString> directories) {}

    private TreeListing() {}

    /**
     * Reads the tree below a directory, and the directory itself under the empty path. A directory that cannot be
     * listed or searched is an entry whose content is the error.
     */
    public static TreeListing of(FileSystemCalls calls, Path root) {
        TreeListing listing = new TreeListing();
        try (TreeCursor cursor = new TreeCursor(calls, root)) {
            listing.add(cursor, ByteString.empty(), ByteString.of("."));
            listing.walk(cursor);
            listing.settleGroups();
        } catch (IOException failure) {
            throw new UncheckedIOException(root.toString(), failure);
        }
        return listing;
    }

    /** Returns the entries in the byte order of their paths. */
    public Collection<ListedEntry> entries() {
        return Collections.unmodifiableCollection(entries.values());
    }

    /** Returns the entries by path. */
    public SortedMap<ByteString, ListedEntry> byPath() {
        return Collections.unmodifiableSortedMap(entries);
    }

    /** Returns the entry with a path in UTF-8. */
    public Optional<ListedEntry> find(String path) {
        return Optional.ofNullable(entries.get(ByteString.of(path)));
    }

    private void walk(TreeCursor cursor) throws SystemCallException {
        Deque<Frame> frames = new ArrayDeque<>();
        frames.push(new Frame(ByteString.empty(), addAll(cursor, ByteString.empty())));
        while (!frames.isEmpty()) {
            Frame frame = frames.element();
            ByteString next = frame.directories().poll();
            if (next != null) {
                ByteString path = Names.join(frame.path(), next);
                try {
                    cursor.down(next);
                } catch (SystemCallException failure) {
                    replaceContent(path, Errno.symbol(failure.errno()));
                    continue;
                }
                frames.push(new Frame(path, addAll(cursor, path)));
            } else {
                frames.pop();
                if (!frames.isEmpty()) {
                    cursor.up();
                }
            }
        }
    }

    private Deque<ByteString> addAll(TreeCursor cursor, ByteString directory) throws SystemCallException {
        Deque<ByteString> directories = new ArrayDeque<>();
        for (ByteString name : cursor.list()) {
            if (add(cursor, Names.join(directory, name), name) == EntryKind.DIRECTORY) {
                directories.add(name);
            }
        }
        return directories;
    }

    private EntryKind add(TreeCursor cursor, ByteString path, ByteString name) throws SystemCallException {
        FileAccess access = cursor.access();
        FileStatus status = access.status(cursor.directory(), access.name(name.toBytes()));
        EntryKind kind = status.kind();
        String content = switch (kind) {
            case REGULAR -> hash(cursor, name);
            case SYMLINK -> access.linkTarget(cursor.directory(), access.name(name.toBytes())).toString();
            default -> "";
        };
        if (kind != EntryKind.DIRECTORY) {
            linkGroups.merge(status.device() + ":" + status.inode(), path, TreeListing::first);
        }
        entries.put(path, new ListedEntry(path, status, path, content, attributes(cursor, name)));
        return kind;
    }

    private static ByteString first(ByteString a, ByteString b) {
        return a.compareTo(b) <= 0 ? a : b;
    }

    // The first path of each group is known only after all were seen.
    private void settleGroups() {
        entries.replaceAll((path, entry) -> {
            ByteString group = linkGroups.getOrDefault(entry.status().device() + ":" + entry.status().inode(), path);
            return new ListedEntry(path, entry.status(), group, entry.content(), entry.attributes());
        });
    }

    private void replaceContent(ByteString path, String content) {
        entries.computeIfPresent(path,
                (key, old) -> new ListedEntry(path, old.status(), old.linkGroup(), content, old.attributes()));
    }

    // Hashes the blocks that are not all zeros, each with its offset: the result is the same for stored zeros and for
    // holes, and gigabytes of holes are quick. The size is compared separately. Tests list their trees thousands of times,
    // and every compiler of the JVM makes these two checksums fast.
    private static String hash(TreeCursor cursor, ByteString name) throws SystemCallException {
        FileAccess access = cursor.access();
        int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
        int descriptor = access.tryOpen(cursor.directory(), access.name(name.toBytes()), flags, 0);
        if (descriptor < 0) {
            return Errno.symbol(-descriptor);
        }
        try {
            List<Checksum> sums = List.of(new CRC32(), new CRC32C());
            MemorySegment block = access.buffer().asSlice(0, BLOCK_BYTES);
            long at = 0;
            while ((at = access.calls().lseek(descriptor, at, SEEK_DATA)) >= 0) {
                at -= at % BLOCK_BYTES;
                long n = access.readFully(descriptor, block, at);
                if (block.asSlice(0, n).mismatch(ZEROES.asSlice(0, n)) >= 0) {
                    for (Checksum sum : sums) {
                        sum.update(ByteBuffer.allocate(Long.BYTES).putLong(at).flip());
                        sum.update(block.asSlice(0, n).asByteBuffer());
                    }
                }
                at += BLOCK_BYTES;
            }
            return at == -Errno.ENXIO
                    ? sums.stream()
                            .map(sum -> HexFormat.of().toHexDigits((int) sum.getValue()))
                            .collect(Collectors.joining())
                    : Errno.symbol((int) -at);
        } finally {
            access.closeQuietly(descriptor);
        }
    }

    private static SortedMap<ByteString, ByteString> attributes(TreeCursor cursor, ByteString name)
            throws SystemCallException {
        FileSystemCalls calls = cursor.access().calls();
        SortedMap<ByteString, ByteString> attributes = new TreeMap<>();
        MemorySegment list = cursor.access().listing();
        long length = calls.llistxattr(cursor.path(name), list);
        if (length == -Errno.EOPNOTSUPP) {
            return attributes;
        }
        check("listxattr", length);
        byte[] packed = TreeCursor.bytes(list, length);
        int start = 0;
        for (int i = 0; i < packed.length; i++) {
            if (packed[i] == 0) {
                MemorySegment attribute = list.asSlice(start);
                ByteString text = ByteString.of(list.asSlice(start, i - start).toArray(JAVA_BYTE));
                long size = calls.lgetxattr(cursor.path(name), attribute, cursor.access().buffer());
                // XFS shows its ACLs a second time under these names.
                if (size != -Errno.ENODATA && !text.toString().startsWith("trusted.SGI_ACL_")) {
                    check("getxattr", size);
                    attributes.put(text, ByteString.of(TreeCursor.bytes(cursor.access().buffer(), size)));
                }
                start = i + 1;
            }
        }
        return attributes;
    }
}
