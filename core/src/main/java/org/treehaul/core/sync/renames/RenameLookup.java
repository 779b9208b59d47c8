// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync.renames;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_SYMLINK_FOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;
import static org.treehaul.core.fs.LinuxConstants.RENAME_NOREPLACE;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.links.EarlierCopies;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Finds and makes renames for one thread. A file is renamed relative to the open directories that contain its old and
 * its new name, and only if neither it nor its source has changed since their data were compared.
 */
public final class RenameLookup implements EarlierCopies.Lookup {

    private final Candidates candidates;
    private final FileAccess access;
    private final Renames.Tools tools;

    RenameLookup(Candidates candidates, FileAccess access, Renames.Tools tools) {
        this.candidates = candidates;
        this.access = access;
        this.tools = tools;
    }

    /** Works on a candidate that is still the listed file. */
    private interface Use {
        /** Returns null if it cannot be used. */
        @Nullable FileStatus of(FileStatus there, int node, int directory, byte[] name) throws SystemCallException;
    }

    // Other names of the file would remain names of the renamed one.
    private static boolean isAlone(FileStatus status) {
        return EntryKind.isKnown(status.mode()) && status.kind() == EntryKind.REGULAR && status.linkCount() == 1;
    }

    /**
     * Finds the file of the destination that a new file of the source equals, and keeps it for that.
     *
     * @param directory the directory that contains the new file
     * @param name its name there
     * @return the path of the file, or null if there is none
     */
    public @Nullable TreePath find(TreePath path, FileStatus status, int directory, MemorySegment name) {
        int[] found = isAlone(status) && status.size() > 0 ? candidates.find(status, path.nameBytes()) : new int[0];
        if (found.length == 0) {
            return null;
        }
        int file = access.tryOpen(directory, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0);
        if (file < 0) {
            return null;
        }
        try {
            FileStatus opened = access.status(file);
            if (!opened.isUnchangedSince(status)) {
                return null;
            }
            EarlierCopies.Source source = new EarlierCopies.Source(path, opened, file, tools.attributes(file, opened),
                    ByteString.empty());
            for (int number : found) {
                if (use(number, (there, node, parent, old) -> pair(number, source, there, node, parent, old)) != null) {
                    return candidates.path(number);
                }
            }
            return null;
        } catch (SystemCallException e) {
            // The copy meets the same error, and reports it.
            return null;
        } finally {
            access.closeQuietly(file);
        }
    }

    private @Nullable FileStatus pair(int number, EarlierCopies.Source source, FileStatus there, int node, int parent,
            byte[] name) throws SystemCallException {
        boolean isPaired = tools.isSame(source, there, node, parent, access.otherName(name))
                && access.status(node).isUnchangedSince(there)
                && access.status(source.file()).isUnchangedSince(source.status())
                && candidates.pair(number, source.status(), there);
        return isPaired ? there : null;
    }

    private @Nullable FileStatus use(int number, Use use) {
        TreePath path = candidates.path(number);
        try {
            Directory parent = tools.directory(path.parent());
            int descriptor = parent.acquire(access);
            try {
                byte[] name = path.nameBytes();
                int node = access.tryOpen(descriptor, access.otherName(name), O_PATH | O_NOFOLLOW, 0);
                if (node < 0) {
                    return null;
                }
                try {
                    FileStatus there = access.status(node);
                    return isAlone(there) && candidates.isOf(number, there)
                            ? use.of(there, node, descriptor, name)
                            : null;
                } finally {
                    access.closeQuietly(node);
                }
            } finally {
                parent.release();
            }
        } catch (SystemCallException e) {
            return null;
        }
    }

    @Override
    public EarlierCopies.@Nullable Taken take(EarlierCopies.Source source, int directory, MemorySegment name) {
        int number = source.status().kind() == EntryKind.REGULAR ? candidates.ofSource(source.status()) : -1;
        if (number < 0) {
            return null;
        }
        FileStatus moved = candidates.isUnchangedSource(number, source.status())
                ? use(number,
                        (there, node, parent, old) -> candidates.isUnchanged(number, there)
                                ? move(number, node, there, parent, old, directory, name)
                                : null)
                : null;
        if (moved == null) {
            candidates.drop(number);
            return null;
        }
        tools.count();
        return new EarlierCopies.Taken(moved);
    }

    private @Nullable FileStatus move(int number, int node, FileStatus there, int parent, byte[] old, int directory,
            MemorySegment name) throws SystemCallException {
        int made = access.calls().renameat2(parent, access.otherName(old), directory, name, RENAME_NOREPLACE);
        if (made == -Errno.EINVAL || made == -Errno.ENOSYS) {
            return link(number, node, there, parent, old, directory, name);
        }
        if (made != 0) {
            if (made != -Errno.EEXIST) {
                tools.notice("rename: " + Errno.describe(-made));
            }
            return null;
        }
        // Another process may have put another file in its place at the last moment.
        FileStatus now = access.status(directory, name);
        if (!now.isSameFile(there)) {
            access.calls().renameat2(directory, name, parent, access.otherName(old), RENAME_NOREPLACE);
            return null;
        }
        candidates.moved(number);
        return now;
    }

    // NFS, Lustre and FUSE cannot rename without replacing. After a kill in between, the file has both names, and the
    // next run removes the old one.
    private @Nullable FileStatus link(int number, int node, FileStatus there, int parent, byte[] old, int directory,
            MemorySegment name) throws SystemCallException {
        int made = access.calls().linkat(AT_FDCWD, access.procPath(node), directory, name, AT_SYMLINK_FOLLOW);
        if (made != 0) {
            tools.notice("link: " + Errno.describe(-made));
            return null;
        }
        boolean isGone = access.status(parent, access.otherName(old)).isSameFile(there)
                && access.calls().unlinkat(parent, access.otherName(old), 0) == 0;
        if (isGone) {
            candidates.moved(number);
        } else {
            // The removals try it again.
            candidates.drop(number);
        }
        return access.status(directory, name);
    }

    @Override
    public String operation() {
        return "rename";
    }

    @Override
    public void close() {
        tools.close();
    }
}
