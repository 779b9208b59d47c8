// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.store;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.SortedMap;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.AclListing;
import org.treehaul.core.fs.AttributePolicy;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.ExtendedAttributes;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.storage.PosixFile;
import org.treehaul.core.storage.SourceFile;
import org.treehaul.core.storage.SourceTree;
import org.treehaul.core.walk.listing.DirectoryRecords;

/** A tree of the operating system as the source of a copy between stores. Not safe for several threads. */
final class PosixSourceTree implements SourceTree {

    private static final byte[] HERE = {'.'};

    private final FileAccess access;
    private final AttributePolicy policy;
    private final AclListing aclListing;

    // The directory that this thread used last, held open: the next entry is most likely in it or near it.
    private Directory current;

    PosixSourceTree(Directory root, FileAccess access, AttributePolicy policy, AclListing aclListing) {
        this.access = access;
        this.policy = policy;
        this.aclListing = aclListing;
        this.current = root;
    }

    @Override
    public void list(TreePath directory, Listing listing) throws SystemCallException {
        Directory handle = go(directory);
        int descriptor = handle.acquire(access);
        try {
            // A new descriptor has its own position, at the beginning of the listing.
            int own = access.open(descriptor, access.name(HERE), O_RDONLY | O_NONBLOCK, 0);
            try {
                list(directory, own, listing);
            } finally {
                access.closeQuietly(own);
            }
        } finally {
            handle.release();
        }
    }

    private void list(TreePath directory, int descriptor, Listing listing) throws SystemCallException {
        MemorySegment records = access.listing();
        int length = DirectoryRecords.read(access, descriptor, records);
        while (length > 0) {
            for (long at = 0; at < length; at += DirectoryRecords.length(records, at)) {
                if (!DirectoryRecords.isDots(records, at) && !pass(directory, records, at, listing)) {
                    return;
                }
            }
            length = DirectoryRecords.read(access, descriptor, records);
        }
        FileAccess.check("getdents64", length);
    }

    private boolean pass(TreePath directory, MemorySegment records, long at, Listing listing)
            throws SystemCallException {
        byte[] name = DirectoryRecords.nameBytes(records, at);
        EntryKind kind = DirectoryRecords.kind(records, at);
        return listing.entry(name, kind == null ? status(directory.child(name)).kind() : kind);
    }

    @Override
    public FileStatus status(TreePath entry) throws SystemCallException {
        return at(entry, access::status);
    }

    @Override
    public SourceFile open(TreePath file) throws SystemCallException {
        return new PosixFile(access,
                at(file, (directory, name) -> access.open(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0)));
    }

    @Override
    public ByteString linkTarget(TreePath link) throws SystemCallException {
        return at(link, access::linkTarget);
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(SourceFile file, FileStatus status) throws SystemCallException {
        return policy.isEmpty() || !(file instanceof PosixFile opened)
                ? Collections.emptySortedMap()
                : ExtendedAttributes.read(access, opened.descriptor(), status, policy, aclListing);
    }

    @Override
    public SortedMap<ByteString, ByteString> attributes(TreePath entry, FileStatus status) throws SystemCallException {
        // A symbolic link can have neither user attributes nor an ACL.
        boolean none = policy.isEmpty() || status.kind() == EntryKind.SYMLINK && !policy.trusted();
        return none
                ? Collections.emptySortedMap()
                : at(entry, (directory, name) -> ExtendedAttributes.read(access, directory, name, status, policy,
                        aclListing));
    }

    /** A call on a name in an open directory. */
    private interface Use<T> {
        T with(int directory, MemorySegment name) throws SystemCallException;
    }

    private <T> T at(TreePath entry, Use<T> use) throws SystemCallException {
        Directory directory = go(entry.isRoot() ? entry : entry.parent());
        int descriptor = directory.acquire(access);
        try {
            return use.with(descriptor, access.name(entry.isRoot() ? HERE : entry.nameBytes()));
        } finally {
            directory.release();
        }
    }

    // Goes up from the current directory to the nearest one that contains the wanted directory, and down from there.
    private Directory go(TreePath wanted) {
        Deque<TreePath> below = new ArrayDeque<>();
        Directory from = current;
        TreePath to = wanted;
        while (!from.path().equals(to)) {
            if (to.depth() >= from.path().depth()) {
                below.push(to);
                to = to.parent();
            } else {
                from = from.parent().orElseThrow();
            }
        }
        for (TreePath path : below) {
            from = from.child(path);
        }
        current = from;
        return from;
    }

    @Override
    public void close() {
        access.close();
    }
}
