// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.util.Arrays;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Timestamp;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.Root;
import org.treehaul.tuplespace.files.FileIndex;
import org.treehaul.tuplespace.files.FileTuple;

/**
 * An entry of an index, as a walk of the tree would have found it. No file is open.
 *
 * @param tuple the entry
 * @param root the root of the search
 * @param rootIndex its position among the roots
 * @param path the path below it
 */
record IndexedEntry(FileIndex index, FileTuple tuple, Root root, int rootIndex,
        TreePath path) implements FoundValues.UnopenedSubject {

    /**
     * Returns an entry at or below a root.
     *
     * @param top absolute path of the root
     */
    static IndexedEntry of(FileIndex index, FileTuple tuple, Root root, int rootIndex, ByteString top) {
        byte[] whole = tuple.path().toBytes();
        int start = Math.min(whole.length, top.length() == 1 ? 1 : top.length() + 1);
        return new IndexedEntry(index, tuple, root, rootIndex,
                TreePath.of(Arrays.copyOfRange(whole, start, whole.length)));
    }

    @Override
    public byte[] nameBytes() {
        return path.isRoot() ? root.path().toBytes() : path.nameBytes();
    }

    @Override
    public EntryKind kind() {
        return tuple.kind();
    }

    @Override
    public FileStatus status() {
        Timestamp atime = Timestamp.ofNanos(tuple.atime());
        Timestamp mtime = Timestamp.ofNanos(tuple.mtime());
        Timestamp ctime = Timestamp.ofNanos(tuple.ctime());
        Long made = tuple.btime();
        Timestamp btime = Timestamp.ofNanos(made == null ? 0 : made);
        return new FileStatus(tuple.kind().typeBits() | tuple.mode(), tuple.owner(), tuple.group(), tuple.links(),
                tuple.inode(), tuple.device(), 0, tuple.size(), tuple.blocks(), atime.seconds(), atime.nanos(),
                mtime.seconds(), mtime.nanos(), ctime.seconds(), ctime.nanos(), made != null, btime.seconds(),
                btime.nanos());
    }

    @Override
    public long inode() {
        return tuple.inode();
    }

    @Override
    public int depth() {
        return path.depth();
    }

    @Override
    public ByteString linkTarget() {
        ByteString target = tuple.target();
        return target == null ? ByteString.empty() : target;
    }

    @Override
    public @Nullable ByteString servers(Supplier<Locality> locality) {
        return tuple.server();
    }

    @Override
    public boolean isEmptyDirectory() {
        return index.isEmpty(tuple);
    }
}
