// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkWorker;

/**
 * The second tree as one thread accesses it: opens and lists the counterparts of directories, and looks up entries. The
 * directory of the last lookup is held open for the next one.
 */
final class SecondTree {

    private final ComparisonRun run;
    private @Nullable PairedDirectory held;

    SecondTree(ComparisonRun run) {
        this.run = run;
    }

    /** Opens and lists the counterpart of a directory; returns null if the comparison must not enter it. */
    @Nullable PairedDirectory enter(WalkDirectory<PairedDirectory> directory, WalkWorker<PairedDirectory> worker)
            throws SideException {
        FileAccess access = worker.access();
        WalkDirectory<PairedDirectory> parent = directory.parent();
        try {
            Directory b = parent == null ? openRoot(access) : child(directory, parent.attachment().directory());
            FileStatus status = b.open(access);
            if (run.isElsewhere(directory, status)) {
                b.release();
                return null;
            }
            if (parent == null) {
                worker.worksOn(access.fileSystemType(b.descriptor()));
            }
            // In a directory that another process found, this process only looks up single entries: the other process
            // lists it, and reports the remaining names.
            boolean isListed = directory.isListed() && !directory.isImported();
            NameTable names = isListed ? list(directory.path(), b, access) : null;
            letGo();
            held = new PairedDirectory(b, names);
            return held;
        } catch (SystemCallException e) {
            throw SideException.of(Side.B, e);
        }
    }

    // A directory that is not listed is on the way to a selected path, where the walk follows links.
    private Directory child(WalkDirectory<PairedDirectory> directory, Directory parent) {
        return directory.isListed() || run.isOfCopy()
                ? parent.child(directory.path())
                : parent.followedChild(directory.path());
    }

    private Directory openRoot(FileAccess access) throws SystemCallException {
        Directory open = run.openRootB();
        if (open != null) {
            return open;
        }
        int flags = O_DIRECTORY | O_NONBLOCK | (run.followsRoots() ? 0 : O_NOFOLLOW);
        return run.openRootB(LongPath.open(access, run.root(Side.B), flags));
    }

    private NameTable list(TreePath path, Directory b, FileAccess access) {
        NameTable names = NameTable.read(access, b.descriptor(), run.seed());
        run.keep(names);
        if (!names.isComplete()) {
            run.failed(path, SideException.of(Side.B, new SystemCallException("getdents64", names.errno())));
        }
        return names;
    }

    /** Returns the descriptor of a directory, which stays open until the next call for another one. */
    int hold(PairedDirectory paired, FileAccess access) throws SideException {
        if (held != paired) {
            letGo();
            try {
                paired.directory().acquire(access);
            } catch (SystemCallException e) {
                throw SideException.of(Side.B, e);
            }
            held = paired;
        }
        return paired.directory().descriptor();
    }

    /** Returns the status of a name in an open directory, or null if it does not exist. */
    @Nullable FileStatus find(FileAccess access, int directory, MemorySegment name, boolean follow) throws SideException {
        try {
            return access.find(directory, name, follow);
        } catch (SystemCallException e) {
            throw SideException.of(Side.B, e);
        }
    }

    /** Returns the status of a name that the listing of its directory contains. */
    FileStatus listed(FileAccess access, int directory, MemorySegment name) throws SideException {
        FileStatus status = find(access, directory, name, false);
        if (status == null) {
            throw vanished();
        }
        return status;
    }

    /** Returns the exception for a name that the listing of its directory contains, and that no longer exists. */
    static SideException vanished() {
        return SideException.of(Side.B, new SystemCallException("stat", Errno.ENOENT));
    }

    /** Closes a directory of which everything has been compared. */
    void leave(PairedDirectory paired, boolean isRoot) {
        if (held == paired) {
            letGo();
        }
        if (!isRoot) {
            paired.directory().retire();
        }
    }

    /** Closes the directory that is held open. */
    void letGo() {
        if (held != null) {
            held.directory().release();
            held = null;
        }
    }
}
