// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.Symlinks;

/**
 * Where a regular file of a transfer stands at both sides. May be used by any thread.
 *
 * @param root the position of its pair
 * @param path where it stands below that
 * @param source the directory that it stands in; null for a root
 * @param sourceProblem why that could not be found
 * @param target the directory that its copy goes into
 * @param targetProblem why that could not be entered
 * @param targetName the name that it gets there
 */
record FilePlace(int root, TreePath path, @Nullable Directory source, @Nullable SystemCallException sourceProblem,
        @Nullable TargetDirectory target, @Nullable SystemCallException targetProblem, ByteString targetName) {

    /** Finds a file, and makes the directory that its copy goes into where it is missing. */
    static FilePlace of(CopyRun run, TransferTrees trees, FileAccess access, int root, TreePath path) {
        Directory source = null;
        SystemCallException sourceProblem = null;
        TargetDirectory target = null;
        SystemCallException targetProblem = null;
        TransferTrees.Sides sides = path.isRoot() ? null : trees.directory(root, path.parent());
        if (sides != null) {
            source = sides.source();
            sourceProblem = sides.sourceProblem();
        }
        try {
            target = sides == null ? run.targetRoots().parent(root, access) : trees.enter(sides);
        } catch (SystemCallException e) {
            targetProblem = e;
        }
        ByteString name = path.isRoot() ? run.targetRoots().name(root) : path.name();
        return new FilePlace(root, path, source, sourceProblem, target, targetProblem, name);
    }

    /** Opens the source, and returns its descriptor. */
    int openSource(CopyRun run, FileAccess access) throws SystemCallException, ChangedException {
        Symlinks symlinks = run.options().symlinks();
        boolean follow = symlinks == Symlinks.ALWAYS || path.isRoot() && symlinks != Symlinks.NEVER;
        int flags = O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
        if (path.isRoot()) {
            try (LongPath longPath = LongPath.of(access, run.pair(root).source().path())) {
                return opened(access.tryOpen(longPath.base(), access.name(longPath.rest()), flags, 0));
            }
        }
        if (source == null) {
            throw sourceProblem == null ? new SystemCallException("open", Errno.EBADF) : sourceProblem;
        }
        int directory = source.acquire(access);
        try {
            return opened(access.tryOpen(directory, access.name(path.nameBytes()), flags, 0));
        } finally {
            source.release();
        }
    }

    // A link, or a socket or FIFO, has taken its place.
    private static int opened(int result) throws SystemCallException, ChangedException {
        if (result == -Errno.ELOOP || result == -Errno.ENXIO) {
            throw ChangedException.ofKind();
        }
        return FileAccess.check("open", result);
    }

    /** Returns the directory that the copy goes into. */
    TargetDirectory targetOrThrow() throws TargetException {
        if (target == null) {
            throw new TargetException(
                    targetProblem == null ? new SystemCallException("open", Errno.EBADF) : targetProblem);
        }
        return target;
    }

    /** Returns it as the copier of other files knows it. */
    CopyTask task() throws TargetException {
        return new CopyTask(null, root, path, EntryKind.REGULAR, false, false, targetOrThrow(), targetName, -1, false,
                source);
    }
}
