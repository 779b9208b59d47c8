// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.ChangedException;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.Symlinks;

/**
 * The location of a regular file of a transfer on both sides. Safe for any number of threads.
 *
 * @param root position of its pair
 * @param path path of the file below that root
 * @param source the directory that contains it; null for a root
 * @param sourceProblem why that directory could not be opened
 * @param target the directory that will contain its copy
 * @param targetProblem why that directory could not be entered
 * @param targetName the name of the copy
 */
record FilePlace(int root, TreePath path, @Nullable Directory source, @Nullable SystemCallException sourceProblem,
        @Nullable TargetDirectory target, @Nullable SystemCallException targetProblem, ByteString targetName) {

    /** Returns the location of a file, and creates the directory for its copy if it is missing. */
    static FilePlace of(CopyContext context, TransferTrees trees, FileAccess access, int root, TreePath path) {
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
            target = sides == null ? context.targetRoots().parent(root, access) : trees.enter(sides);
        } catch (SystemCallException e) {
            targetProblem = e;
        }
        ByteString name = path.isRoot() ? context.targetRoots().name(root) : path.name();
        return new FilePlace(root, path, source, sourceProblem, target, targetProblem, name);
    }

    /**
     * Returns the location like {@link #of}, but retries after errors that may be transient, because the caller keeps
     * the location.
     */
    static FilePlace toKeep(CopyContext context, TransferTrees trees, FileAccess access, int root, TreePath path) {
        for (int tries = 1;; tries++) {
            FilePlace place = of(context, trees, access, root, path);
            SystemCallException problem = place.sourceProblem != null ? place.sourceProblem : place.targetProblem;
            if (problem == null || !context.retries().mayRetry(problem, tries)) {
                return place;
            }
        }
    }

    /** Opens the source and returns its descriptor. */
    int openSource(CopyContext context, FileAccess access) throws SystemCallException, ChangedException {
        int flags = O_RDONLY | O_NONBLOCK | (isFollowed(context) ? 0 : O_NOFOLLOW);
        if (path.isRoot()) {
            try (LongPath longPath = LongPath.of(access, context.pair(root).source().path())) {
                return opened(access.tryOpen(longPath.base(), access.name(longPath.rest()), flags, 0));
            }
        }
        Directory directory = sourceOrThrow();
        int descriptor = directory.acquire(access);
        try {
            return opened(access.tryOpen(descriptor, access.name(path.nameBytes()), flags, 0));
        } finally {
            directory.release();
        }
    }

    private boolean isFollowed(CopyContext context) {
        Symlinks symlinks = context.options().symlinks();
        return symlinks == Symlinks.ALWAYS || path.isRoot() && symlinks != Symlinks.NEVER;
    }

    private Directory sourceOrThrow() throws SystemCallException {
        if (source == null) {
            throw sourceProblem == null ? new SystemCallException("open", Errno.EBADF) : sourceProblem;
        }
        return source;
    }

    // A link, socket or FIFO has taken its place.
    private static int opened(int result) throws SystemCallException, ChangedException {
        if (result == -Errno.ELOOP || result == -Errno.ENXIO) {
            throw ChangedException.ofKind();
        }
        return FileAccess.check("open", result);
    }

    /** Returns the directory that will contain the copy. */
    TargetDirectory targetOrThrow() throws TargetException {
        if (target == null) {
            throw new TargetException(
                    targetProblem == null ? new SystemCallException("open", Errno.EBADF) : targetProblem);
        }
        return target;
    }

    /** Returns the file as a task for the classes that copy other files. */
    CopyTask task() throws TargetException {
        return new CopyTask(null, root, path, EntryKind.REGULAR, false, false, targetOrThrow(), targetName, -1, false,
                source);
    }
}
