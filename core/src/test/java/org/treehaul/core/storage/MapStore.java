// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * A store over a plain map: from the path of each entry to its status and bytes. Any number of threads may open its
 * trees.
 */
public class MapStore {

    /**
     * An entry.
     *
     * @param data the data of a regular file, else null
     * @param linkTarget the target of a symbolic link, else empty
     */
    private record Node(FileStatus status, MapFile.@Nullable Content data, ByteString linkTarget) {}

    private final NavigableMap<TreePath, Node> entries = new ConcurrentSkipListMap<>();
    private final AtomicInteger unnamed = new AtomicInteger();

    private static SystemCallException failed(String operation, int errno) {
        return new SystemCallException(operation, errno);
    }

    /**
     * Called before each operation of a tree, for tests that make one fail.
     *
     * @param operation the name of its method
     */
    protected void before(String operation, TreePath path) throws SystemCallException {
        // All succeed.
    }

    /** Returns the file that {@code open} opens, for tests whose files behave differently. */
    protected MapFile opened(TreePath path, MapFile.Content data) {
        return new MapFile(data);
    }

    /** Returns the file that {@code create} creates, for tests whose files behave differently. */
    protected MapFile created(TreePath path, MapFile.Content data) {
        return new MapFile(data);
    }

    private Node node(TreePath path) throws SystemCallException {
        Node node = entries.get(path);
        if (node == null) {
            throw failed("stat", Errno.ENOENT);
        }
        return node;
    }

    private void checkParent(TreePath path) throws SystemCallException {
        if (!path.isRoot() && node(path.parent()).status().kind() != EntryKind.DIRECTORY) {
            throw failed("open", Errno.ENOTDIR);
        }
    }

    private void put(TreePath path, Node node) throws SystemCallException {
        checkParent(path);
        Node there = entries.get(path);
        if (there != null && there.status().kind() == EntryKind.DIRECTORY) {
            throw failed("rename", Errno.EISDIR);
        }
        entries.put(path, node);
    }

    /** Returns a status with this type, permissions and time; all other fields have fixed values. */
    public static FileStatus status(EntryKind kind, int permissions, long seconds) {
        return new FileStatus(kind.typeBits() | permissions, 1, 1, 1, seconds, 1, 0, 0, 0, seconds, 0, seconds, 0,
                seconds, 0, false, 0, 0);
    }

    /** Returns the metadata of an entry with such a status and no attributes. */
    public static EntryMetadata metadata(EntryKind kind, int permissions, long seconds) {
        return new EntryMetadata(status(kind, permissions, seconds), Collections.emptySortedMap());
    }

    /** Returns the number of files that were created and neither committed nor discarded. */
    public int unnamedFiles() {
        return unnamed.get();
    }

    /** Returns the data of a file. */
    public MapFile.Content data(TreePath file) throws SystemCallException {
        MapFile.Content data = node(file).data();
        if (data == null) {
            throw failed("open", Errno.EISDIR);
        }
        return data;
    }

    /** Returns each entry with its type, permissions, time, link target and data, to compare two stores. */
    public SortedMap<TreePath, String> describe() {
        SortedMap<TreePath, String> described = new TreeMap<>();
        entries.forEach((path, node) -> {
            FileStatus status = node.status();
            byte[] bytes = node.data() == null ? new byte[0] : node.data().bytes();
            described.put(path,
                    String.format("%o %d %d %d %s %d %d", status.mode(), status.uid(), status.mtimeSeconds(),
                            status.specialDevice(), node.linkTarget(), bytes.length, Arrays.hashCode(bytes)));
        });
        return described;
    }

    /** Opens the store for reading. */
    public SourceTree source() {
        return new Source();
    }

    /** Opens the store for writing. */
    public TargetTree target() {
        return new Target();
    }

    private final class Source implements SourceTree {

        @Override
        public void list(TreePath directory, Listing listing) throws SystemCallException {
            before("list", directory);
            if (node(directory).status().kind() != EntryKind.DIRECTORY) {
                throw failed("open", Errno.ENOTDIR);
            }
            Map<TreePath, EntryKind> found = new HashMap<>();
            for (Map.Entry<TreePath, Node> entry : entries.tailMap(directory, false).entrySet()) {
                TreePath path = entry.getKey();
                if (path.depth() <= directory.depth()) {
                    break;
                }
                if (path.depth() == directory.depth() + 1) {
                    if (!path.parent().equals(directory)) {
                        break;
                    }
                    found.put(path, entry.getValue().status().kind());
                }
            }
            for (Map.Entry<TreePath, EntryKind> entry : found.entrySet()) {
                if (!listing.entry(entry.getKey().nameBytes(), entry.getValue())) {
                    return;
                }
            }
        }

        @Override
        public FileStatus status(TreePath entry) throws SystemCallException {
            before("status", entry);
            return node(entry).status();
        }

        @Override
        public SourceFile open(TreePath file) throws SystemCallException {
            before("open", file);
            return opened(file, data(file));
        }

        @Override
        public ByteString linkTarget(TreePath link) throws SystemCallException {
            before("linkTarget", link);
            Node node = node(link);
            if (node.status().kind() != EntryKind.SYMLINK) {
                throw failed("readlink", Errno.EINVAL);
            }
            return node.linkTarget();
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }

    private final class Target implements TargetTree {

        @Override
        public @Nullable FileStatus find(TreePath entry) {
            Node node = entries.get(entry);
            return node == null ? null : node.status();
        }

        @Override
        public void makeDirectory(TreePath directory, FileStatus source) throws SystemCallException {
            before("makeDirectory", directory);
            checkParent(directory);
            Node there = entries.putIfAbsent(directory,
                    new Node(status(EntryKind.DIRECTORY, 0700, 0), null, ByteString.empty()));
            if (there != null && there.status().kind() != EntryKind.DIRECTORY) {
                throw failed("mkdir", Errno.EEXIST);
            }
        }

        @Override
        public void finishDirectory(TreePath directory, EntryMetadata source) throws SystemCallException {
            before("finishDirectory", directory);
            node(directory);
            entries.put(directory, new Node(source.status(), null, ByteString.empty()));
        }

        @Override
        public NewFile create(TreePath file, EntryMetadata source) throws SystemCallException {
            before("create", file);
            checkParent(file);
            unnamed.incrementAndGet();
            MapFile data = created(file, new MapFile.Content(EntryKind.REGULAR.typeBits() | 0600));
            return new NewFile() {
                @Override
                public TargetFile data() {
                    return data;
                }

                @Override
                public void commit() throws SystemCallException {
                    unnamed.decrementAndGet();
                    before("commit", file);
                    data.content().settle(source.status());
                    put(file, new Node(data.content().status(), data.content(), ByteString.empty()));
                }

                @Override
                public void discard() {
                    unnamed.decrementAndGet();
                }
            };
        }

        @Override
        public void makeLink(TreePath link, ByteString linkTarget, EntryMetadata source) throws SystemCallException {
            before("makeLink", link);
            put(link, new Node(source.status(), null, linkTarget));
        }

        @Override
        public void makeNode(TreePath node, EntryMetadata source) throws SystemCallException {
            before("makeNode", node);
            put(node, new Node(source.status(), null, ByteString.empty()));
        }

        @Override
        public void close() {
            // It holds nothing.
        }
    }
}
