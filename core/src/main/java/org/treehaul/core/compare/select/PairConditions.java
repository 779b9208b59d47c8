// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.select;

import java.lang.foreign.MemorySegment;
import java.util.List;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.options.Root;

/** Checks the conditions of a comparison on both sides. Used by one thread. */
public final class PairConditions {

    private final FileQuery where;
    private final ByteString rootB;
    private final FoundValues ofA;
    private final FoundValues ofB;

    /**
     * An entry of the second tree, which no walk has found.
     *
     * @param access file access of this thread
     * @param parentDescriptor the descriptor against which the name is resolved
     * @param name the name, NUL-ended; for the root its path
     * @param status its status
     * @param path its path below the root
     * @param isFollowed whether it may be a symbolic link whose target is compared
     */
    public record Second(FileAccess access, int parentDescriptor, MemorySegment name, FileStatus status, TreePath path,
            boolean isFollowed) {}

    /** The entry of the second tree as conditions see it. */
    private record Subject(Second entry, ByteString root) implements FoundValues.Subject {

        @Override
        public FileAccess access() {
            return entry.access;
        }

        @Override
        public int parentDescriptor() {
            return entry.parentDescriptor;
        }

        @Override
        public MemorySegment name() {
            return entry.name;
        }

        @Override
        public byte[] nameBytes() {
            return entry.path.isRoot() ? root.toBytes() : entry.path.nameBytes();
        }

        @Override
        public EntryKind kind() {
            return entry.status.kind();
        }

        @Override
        public FileStatus status() {
            return entry.status;
        }

        @Override
        public long inode() {
            return entry.status.inode();
        }

        @Override
        public boolean isFollowed() {
            return entry.isFollowed;
        }

        @Override
        public int rootIndex() {
            return 0;
        }

        @Override
        public int depth() {
            return entry.path.depth();
        }

        @Override
        public TreePath path() {
            return entry.path;
        }
    }

    /**
     * Creates an instance.
     *
     * @param rootA the path of the first tree, with which the paths of its entries begin in conditions
     * @param rootB the path of the second tree
     */
    public PairConditions(FileQuery where, ByteString rootA, ByteString rootB) {
        this.where = where;
        this.rootB = rootB;
        this.ofA = new FoundValues(List.of(Root.of(rootA)));
        this.ofB = new FoundValues(List.of(Root.of(rootB)));
    }

    /** Returns whether an entry of the first tree meets the conditions. */
    public boolean areMetBy(FoundEntry<?> first) throws SystemCallException {
        return where.matches(ofA.of(first));
    }

    /** Returns whether an entry of the second tree meets the conditions. */
    public boolean areMetBy(Second second) throws SystemCallException {
        return where.matches(ofB.of(new Subject(second, rootB)));
    }
}
