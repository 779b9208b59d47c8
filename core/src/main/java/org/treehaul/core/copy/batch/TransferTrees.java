// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.batch;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.DirectoryCopier;
import org.treehaul.core.copy.context.CopyContext;
import org.treehaul.core.copy.failure.RetryPolicy;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.PathSelection;
import org.treehaul.core.walk.options.Symlinks;

/**
 * The directories of a transfer on both sides, looked up by path: from the root down, by names relative to open
 * directories, without following links that were not links when the transfer was planned. Keeps the directories on the
 * last path, so that lookups in tree order are cheap.
 *
 * <p>
 * Not safe for several threads; any thread may use the results until {@link #forget} or {@link #close}.
 */
final class TransferTrees implements AutoCloseable {

    private final CopyContext context;
    private final FileAccess access;
    private final DirectoryPool sources;
    private final DirectoryPool targets;

    // The directories on the last path; the first is the root.
    private final List<Sides> way = new ArrayList<>();
    private final List<Sides> left = new ArrayList<>();
    private int root = -1;
    private boolean makesRoots = true;

    /**
     * A directory on both sides.
     *
     * @param path path of the directory below its root
     * @param source null if the root could not be opened
     * @param target null if the root could neither be opened nor created
     * @param sourceProblem why there is no source
     * @param targetProblem why there is no target
     */
    record Sides(TreePath path, @Nullable Directory source, @Nullable Directory target,
            @Nullable SystemCallException sourceProblem, @Nullable SystemCallException targetProblem) {

        Directory sourceOrThrow() throws SystemCallException {
            if (source == null) {
                throw sourceProblem == null ? new SystemCallException("open", Errno.EBADF) : sourceProblem;
            }
            return source;
        }

        Directory targetOrThrow() throws SystemCallException {
            if (target == null) {
                throw targetProblem == null ? new SystemCallException("open", Errno.EBADF) : targetProblem;
            }
            return target;
        }
    }

    TransferTrees(FileSystemCalls calls, CopyContext context, FileAccess access) {
        this.context = context;
        this.access = access;
        this.sources = context.openPool(calls);
        this.targets = context.openPool(calls);
    }

    /** Returns a directory; only the root of its tree is opened, and created at the target if it is missing. */
    Sides directory(int ofRoot, TreePath path) {
        if (ofRoot != root || mayPass(way.getFirst().sourceProblem()) || mayPass(way.getFirst().targetProblem())) {
            cut(0);
            way.add(openRoot(ofRoot));
            root = ofRoot;
        }
        TreePath[] steps = new TreePath[path.depth()];
        for (TreePath p = path; !p.isRoot(); p = p.parent()) {
            steps[p.depth() - 1] = p;
        }
        int same = 0;
        while (same < steps.length && same + 1 < way.size() && isSameName(steps[same], way.get(same + 1).path())) {
            same++;
        }
        cut(same + 1);
        for (int i = same; i < steps.length; i++) {
            way.add(child(way.getLast(), steps[i]));
        }
        return way.getLast();
    }

    /** Returns a directory at the target, which may be missing; from now on no roots are created. */
    Optional<Directory> existing(int ofRoot, TreePath path) {
        makesRoots = false;
        return Optional.ofNullable(directory(ofRoot, path).target());
    }

    private static boolean mayPass(@Nullable SystemCallException problem) {
        return problem != null && RetryPolicy.mayPass(problem, 1);
    }

    private static boolean isSameName(TreePath a, TreePath b) {
        return Arrays.equals(a.nameBytes(), b.nameBytes());
    }

    private Sides child(Sides parent, TreePath path) {
        Directory source = parent.source();
        Directory target = parent.target();
        boolean follow = context.options().symlinks() == Symlinks.ALWAYS || isFollowed(path);
        return new Sides(path, source == null ? null : follow ? source.followedChild(path) : source.child(path),
                target == null ? null : target.child(path), parent.sourceProblem(), parent.targetProblem());
    }

    private boolean isFollowed(TreePath path) {
        return isFollowed(root, path);
    }

    private boolean isFollowed(int ofRoot, TreePath path) {
        PathSelection selection = context.pair(ofRoot).source().selection().orElse(null);
        return selection != null && selection.follows(path);
    }

    private Sides openRoot(int index) {
        Directory source = null;
        SystemCallException sourceProblem = null;
        try {
            source = retried(() -> openSource(index));
        } catch (SystemCallException e) {
            sourceProblem = e;
        }
        Directory target = null;
        SystemCallException targetProblem = null;
        try {
            target = retried(() -> openTarget(index));
        } catch (SystemCallException e) {
            targetProblem = e;
        }
        return new Sides(TreePath.root(), source, target, sourceProblem, targetProblem);
    }

    private interface Opening {
        Directory open() throws SystemCallException;
    }

    private Directory retried(Opening opening) throws SystemCallException {
        for (int tries = 1;; tries++) {
            try {
                return opening.open();
            } catch (SystemCallException e) {
                if (!context.retries().mayRetry(e, tries)) {
                    throw e;
                }
            }
        }
    }

    private Directory openSource(int index) throws SystemCallException {
        boolean follow = context.options().symlinks() != Symlinks.NEVER || isFollowed(index, TreePath.root());
        ByteString path = context.pair(index).source().path();
        int flags = O_DIRECTORY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW);
        return sources.root(LongPath.open(access, path, flags), path);
    }

    private Directory openTarget(int index) throws SystemCallException {
        Directory parent = context.targetRoots().parent(index, access).handle();
        int above = parent.acquire(access);
        try {
            byte[] name = context.targetRoots().name(index).toBytes();
            int flags = O_DIRECTORY | O_NONBLOCK | O_NOFOLLOW;
            int descriptor = access.tryOpen(above, access.name(name), flags, 0);
            if (descriptor == -Errno.ENOENT && makesRoots) {
                makeDirectory(access, above, name);
                descriptor = access.tryOpen(above, access.name(name), flags, 0);
            }
            if (descriptor == -Errno.EACCES && makesRoots
                    && DirectoryCopier.widenShut(context, access, above, access.name(name)) != null) {
                descriptor = access.tryOpen(above, access.name(name), flags, 0);
            }
            return targets.root(FileAccess.check("open", descriptor), context.pair(index).target());
        } finally {
            parent.release();
        }
    }

    /**
     * Creates a directory at the target, with its missing parents, if it does not exist.
     *
     * @return whether it was missing; another process may have created it at the same moment
     */
    static boolean make(CopyContext context, Directory target, FileAccess access) throws SystemCallException {
        ArrayDeque<Directory> missing = new ArrayDeque<>();
        Directory held = target;
        while (!isThere(context, held, access)) {
            missing.push(held);
            held = held.parent().orElseThrow(() -> new SystemCallException("open", Errno.ENOENT));
        }
        for (Directory next : missing) {
            try {
                makeDirectory(access, held.descriptor(), next.path().nameBytes());
                acquire(context, next, access);
            } finally {
                held.release();
            }
            held = next;
        }
        held.release();
        return !missing.isEmpty();
    }

    // A directory that its mode, a default ACL or the umask makes inaccessible is widened first: finishing gives it its
    // mode.
    private static void acquire(CopyContext context, Directory directory, FileAccess access)
            throws SystemCallException {
        try {
            directory.acquire(access);
        } catch (SystemCallException e) {
            Directory above = e.errno() == Errno.EACCES ? directory.parent().orElse(null) : null;
            if (above == null) {
                throw e;
            }
            acquire(context, above, access);
            try {
                DirectoryCopier.widen(context, access, above.descriptor(), access.status(above.descriptor()));
                acquireChild(context, directory, above, access);
            } finally {
                above.release();
            }
        }
    }

    private static void acquireChild(CopyContext context, Directory directory, Directory above, FileAccess access)
            throws SystemCallException {
        try {
            directory.acquire(access);
        } catch (SystemCallException e) {
            if (e.errno() != Errno.EACCES || DirectoryCopier.widenShut(context, access, above.descriptor(),
                    access.name(directory.path().nameBytes())) == null) {
                throw e;
            }
            directory.acquire(access);
        }
    }

    // Acquires the directory if it exists.
    private static boolean isThere(CopyContext context, Directory directory, FileAccess access)
            throws SystemCallException {
        try {
            acquire(context, directory, access);
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }

    private static void makeDirectory(FileAccess access, int above, byte[] name) throws SystemCallException {
        int made = access.calls().mkdirat(above, access.name(name), 0700);
        if (made != -Errno.EEXIST) {
            FileAccess.check("mkdir", made);
        }
    }

    /** Enters a directory at the target to create files in it: creates it if it is missing, widens it if necessary. */
    TargetDirectory enter(Sides sides) throws SystemCallException {
        Directory target = sides.targetOrThrow();
        make(context, target, access);
        int descriptor = target.acquire(access);
        try {
            FileStatus status = access.status(descriptor);
            context.entered(status, descriptor);
            boolean isWidened = DirectoryCopier.widen(context, access, descriptor, status);
            return new TargetDirectory(target, status, false, TargetDirectory.defaultAcl(access, descriptor),
                    context.preserves(Preserve.ACL) && DirectoryCopier.isFar(context, access, status, target),
                    isWidened);
        } finally {
            target.release();
        }
    }

    private void cut(int length) {
        while (way.size() > length) {
            left.add(way.removeLast());
        }
    }

    /** Closes the directories that are not on the last path. Directories returned before must no longer be used. */
    void forget() {
        for (Sides sides : left) {
            close(sides.source(), sources, sides.path());
            close(sides.target(), targets, sides.path());
        }
        left.clear();
    }

    private static void close(@Nullable Directory directory, DirectoryPool pool, TreePath path) {
        if (directory == null) {
            return;
        }
        if (path.isRoot()) {
            pool.closeRoot(directory);
        } else {
            directory.retire();
        }
    }

    @Override
    public void close() {
        cut(0);
        forget();
        context.closePool(sources);
        context.closePool(targets);
    }
}
