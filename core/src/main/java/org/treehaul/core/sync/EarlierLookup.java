// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.StoredTimes;
import org.treehaul.core.sync.renames.Renames;

/**
 * Finds entries in the earlier copies for one thread. An entry is examined and linked by a descriptor, so that what is
 * linked is what was examined.
 */
final class EarlierLookup implements EarlierCopies.Lookup, Renames.Tools {

    // These concern the one link: another file system, too many names, or a file of another user (protected_hardlinks).
    private static final Set<Integer> IMPOSSIBLE = Set.of(Errno.EXDEV, Errno.EMLINK, Errno.EPERM, Errno.EACCES,
            Errno.EOPNOTSUPP);
    private static final int HALF = FileAccess.BUFFER_BYTES / 2;

    private final EarlierTrees trees;
    private final FileAccess access;
    private final StoredTimes times;
    private final List<Descent> descents;
    // The last directory that each does not have.
    private final @Nullable TreePath[] missing;

    EarlierLookup(EarlierTrees trees, FileAccess access, List<Descent> descents) {
        this.trees = trees;
        this.access = access;
        this.times = new StoredTimes(access);
        this.descents = descents;
        this.missing = new @Nullable TreePath[descents.size()];
    }

    /** Uses an equal entry. */
    private interface Use {
        /** Returns null if the next earlier copy is to be tried. */
        EarlierCopies.@Nullable Taken of(int node, FileStatus status);
    }

    @Override
    public EarlierCopies.@Nullable Taken take(EarlierCopies.Source source, int directory, MemorySegment name) {
        EarlierCopies.Taken taken = find(source,
                trees.isLinked()
                        ? (node, status) -> link(node, status, directory, name)
                        : (node, status) -> new EarlierCopies.Taken(null));
        if (taken != null) {
            trees.count();
        }
        return taken;
    }

    /** Returns whether an entry of the source would be taken, as far as that shows without trying. */
    boolean has(TreePath path, FileStatus status, int directory, MemorySegment name) {
        int file = -1;
        try {
            ByteString target = ByteString.empty();
            SortedMap<ByteString, ByteString> attributes = Collections.emptySortedMap();
            if (status.kind() == EntryKind.SYMLINK) {
                target = access.linkTarget(directory, name);
            } else if (status.kind() != EntryKind.REGULAR) {
                attributes = attributes(directory, name, status);
            } else {
                file = access.open(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
                attributes = attributes(file, status);
            }
            return find(new EarlierCopies.Source(path, status, file, attributes, target),
                    (node, there) -> new EarlierCopies.Taken(null)) != null;
        } catch (SystemCallException e) {
            // The copy meets the same error, and reports it.
            return false;
        } finally {
            if (file >= 0) {
                access.closeQuietly(file);
            }
        }
    }

    private EarlierCopies.@Nullable Taken find(EarlierCopies.Source source, Use use) {
        TreePath path = trees.below(source.path());
        if (path.isRoot()) {
            return null;
        }
        TreePath parent = path.parent();
        for (int i = 0; i < descents.size(); i++) {
            TreePath absent = missing[i];
            if (absent == null || !parent.startsWith(absent)) {
                EarlierCopies.Taken taken = find(i, path, parent, source, use);
                if (taken != null) {
                    return taken;
                }
            }
        }
        return null;
    }

    private EarlierCopies.@Nullable Taken find(int number, TreePath path, TreePath parent, EarlierCopies.Source source,
            Use use) {
        Directory directory = descents.get(number).directory(parent);
        int descriptor;
        try {
            descriptor = directory.acquire(access);
        } catch (SystemCallException e) {
            missing[number] = parent;
            return null;
        }
        try {
            MemorySegment name = access.rootName(path.nameBytes());
            int node = access.tryOpen(descriptor, name, O_PATH | O_NOFOLLOW, 0);
            if (node < 0) {
                return null;
            }
            try {
                FileStatus there = access.status(node);
                return isSame(source, there, node, descriptor, name) ? use.of(node, there) : null;
            } finally {
                access.closeQuietly(node);
            }
        } catch (SystemCallException e) {
            return null;
        } finally {
            directory.release();
        }
    }

    @Override
    public boolean isSame(EarlierCopies.Source source, FileStatus there, int node, int directory, MemorySegment name)
            throws SystemCallException {
        return trees.isAlike(source.status(), there, times, node) && hasSame(source, there, node, directory, name);
    }

    private boolean hasSame(EarlierCopies.Source source, FileStatus there, int node, int directory, MemorySegment name)
            throws SystemCallException {
        if (there.kind() == EntryKind.SYMLINK) {
            return access.linkTarget(node, FileAccess.emptyName()).equals(source.linkTarget());
        }
        if (there.kind() != EntryKind.REGULAR) {
            return there.specialDevice() == source.status().specialDevice()
                    && attributes(directory, name, there).equals(source.attributes());
        }
        if (trees.policy().isEmpty() && !trees.comparesData()) {
            return true;
        }
        int file = access.open(AT_FDCWD, access.procPath(node), O_RDONLY | O_NONBLOCK, 0);
        try {
            return attributes(file, there).equals(source.attributes())
                    && (!trees.comparesData() || hasData(source.file(), file, there.size()));
        } finally {
            access.closeQuietly(file);
        }
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(int file, FileStatus status) throws SystemCallException {
        return trees.policy().isEmpty()
                ? Collections.emptySortedMap()
                : ExtendedAttributes.read(access, file, status, trees.policy(), trees.aclListing());
    }

    private SortedMap<ByteString, ByteString> attributes(int directory, MemorySegment name, FileStatus status)
            throws SystemCallException {
        return trees.policy().isEmpty()
                ? Collections.emptySortedMap()
                : ExtendedAttributes.read(access, directory, name, status, trees.policy(), trees.aclListing());
    }

    private boolean hasData(int first, int second, long size) throws SystemCallException {
        MemorySegment one = access.buffer().asSlice(0, HALF);
        MemorySegment other = access.buffer().asSlice(HALF, HALF);
        for (long at = 0; at < size;) {
            long read = FileAccess.check("read", access.calls().pread(first, one, at));
            long also = FileAccess.check("read", access.calls().pread(second, other, at));
            if (read == 0 || read != also || trees.cancellation().isCancelled()
                    || one.asSlice(0, read).mismatch(other.asSlice(0, read)) >= 0) {
                return false;
            }
            at += read;
        }
        return true;
    }

    private EarlierCopies.@Nullable Taken link(int node, FileStatus status, int directory, MemorySegment name) {
        int made = access.calls().linkat(AT_FDCWD, access.procPath(node), directory, name, AT_SYMLINK_FOLLOW);
        if (made == 0) {
            return new EarlierCopies.Taken(status);
        }
        if (IMPOSSIBLE.contains(-made)) {
            trees.notice("link: " + Errno.describe(-made));
        }
        return null;
    }

    @Override
    public Directory directory(TreePath path) throws SystemCallException {
        if (descents.isEmpty()) {
            throw new SystemCallException("open", Errno.ENOENT);
        }
        return descents.getFirst().directory(path);
    }

    @Override
    public void count() {
        trees.count();
    }

    @Override
    public void notice(String why) {
        trees.notice(why);
    }

    @Override
    public void close() {
        descents.forEach(Descent::close);
    }
}
