// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_EMPTY_PATH;
import static org.treehaul.core.fs.LinuxConstants.AT_STATX_DONT_SYNC;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;
import static org.treehaul.core.fs.LinuxConstants.STATX_INO;
import static org.treehaul.core.fs.LinuxConstants.STATX_SIZE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.concurrent.locks.ReentrantLock;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;

/**
 * The open directories of a walk or copy, within a budget of descriptors. The pool first closes the least recently used
 * directory without holders. When an open fails for lack of descriptors (EMFILE, ENFILE), the pool closes all
 * directories without holders and tries again.
 *
 * <p>
 * One lock guards the list and the fields of all directories. The only system calls made under it are close, if several
 * directories are closed at once, and statx from the cache of the kernel for those that were opened before descriptors
 * became scarce. Safe for any number of threads.
 */
public final class DirectoryPool implements AutoCloseable {

    /** Descriptors left to the JVM itself, for jars and files in /proc. */
    public static final int RESERVED_DESCRIPTORS = 32;

    /** The largest budget of a process, however many descriptors it may open. */
    public static final int LARGEST_BUDGET = 1024;

    static final int CLOSED = -1;

    private static final int TRIES = 4;

    private final FileSystemCalls calls;
    private final int budget;
    private final int flags;
    private final ReentrantLock lock = new ReentrantLock();

    // The ends of the list of open directories without holders. Guarded by the lock.
    private @Nullable Directory newest;
    private @Nullable Directory oldest;
    private int open;
    // Whether a directory that is opened now is likely to be closed for lack of descriptors.
    private volatile boolean isFull;

    // For the identity of directories that are closed before they were examined. Guarded by the lock.
    private final StatxLayout layout = new StatxLayout();
    private @Nullable MemorySegment scratch;

    /**
     * Creates a pool.
     *
     * @param budget the number of descriptors to stay below where possible, 1 or more; directories held at the same
     *        time may exceed it
     */
    public DirectoryPool(FileSystemCalls calls, int budget) {
        this(calls, budget, 0);
    }

    private DirectoryPool(FileSystemCalls calls, int budget, int flags) {
        if (budget < 1) {
            throw new IllegalArgumentException("budget of descriptors: " + budget);
        }
        this.calls = RepeatingCalls.over(calls);
        this.budget = budget;
        this.flags = flags;
    }

    /** Creates a pool with this budget of descriptors, or a smaller one if the limit of this process requires it. */
    public static DirectoryPool withinLimit(FileSystemCalls calls, int budget) {
        return new DirectoryPool(calls, Math.min(budget, budgetFor(ProcessStatus.descriptorLimit())));
    }

    /**
     * Creates a pool like {@link #withinLimit}, whose directories are opened with O_PATH: they can be passed through
     * and examined but not listed, which requires no read permission.
     */
    public static DirectoryPool ofPathDescriptors(FileSystemCalls calls, int budget) {
        return new DirectoryPool(calls, Math.min(budget, budgetFor(ProcessStatus.descriptorLimit())), O_PATH);
    }

    /**
     * Returns a suitable budget for a limit on open files (RLIMIT_NOFILE): a third of it, because source and
     * destination have a pool each, and data files need descriptors too.
     */
    static int budgetFor(long descriptorLimit) {
        return Math.clamp((descriptorLimit - RESERVED_DESCRIPTORS) / 3, 4, LARGEST_BUDGET);
    }

    /**
     * Takes over an open descriptor as the root of a tree. The pool closes it.
     *
     * @param display the root as the user gave it, for messages
     */
    public Directory root(int descriptor, ByteString display) {
        Directory root = new Directory(this, null, TreePath.root(), display, false);
        root.descriptor = descriptor;
        // Held for the life of the pool: the root could not be reopened, because its name is not kept.
        root.pins = 1;
        lock.lock();
        try {
            open++;
        } finally {
            lock.unlock();
        }
        return root;
    }

    int acquire(Directory directory, FileAccess access) throws SystemCallException {
        open(directory, access, true);
        return directory.descriptor;
    }

    int hold(Directory directory, FileAccess access) throws SystemCallException {
        open(directory, access, false);
        return directory.descriptor;
    }

    /**
     * Opens and pins a directory; from the nearest open ancestor downwards, without recursion, because the chain may be
     * ten thousand names long.
     *
     * @param examines whether its status is read when it is opened; it always is if its identity is known
     * @return its status; null if it was open, another thread opened it at the same time, or it was not read
     */
    @Nullable FileStatus open(Directory directory, FileAccess access, boolean examines) throws SystemCallException {
        Directory held = pinNearest(directory);
        if (held == directory) {
            return null;
        }
        if (held != directory.parentOrNull()) {
            ArrayDeque<Directory> between = new ArrayDeque<>();
            for (Directory d = directory.parentOrNull(); d != null && d != held; d = d.parentOrNull()) {
                between.push(d);
            }
            while (!between.isEmpty()) {
                Directory next = between.pop();
                openChild(access, held, next, examines);
                held = next;
            }
        }
        return openChild(access, held, directory, examines);
    }

    private Directory pinNearest(Directory directory) throws SystemCallException {
        lock.lock();
        try {
            Directory nearest = directory;
            while (nearest.descriptor == CLOSED) {
                Directory parent = nearest.parentOrNull();
                if (parent == null) {
                    throw new SystemCallException("open", Errno.EBADF);
                }
                nearest = parent;
            }
            pin(nearest);
            return nearest;
        } finally {
            lock.unlock();
        }
    }

    private void pin(Directory directory) {
        if (directory.pins++ == 0) {
            unlink(directory);
        }
    }

    // Pins the child, and in any case releases the parent.
    private @Nullable FileStatus openChild(FileAccess access, Directory parent, Directory child, boolean examines)
            throws SystemCallException {
        boolean isReleased = false;
        try {
            for (int tries = 1;; tries++) {
                try {
                    FileStatus status = openOnce(access, parent, child, examines);
                    isReleased = true;
                    return status;
                } catch (SystemCallException e) {
                    if (tries == TRIES || !mayPass(e.errno())) {
                        throw e;
                    }
                }
            }
        } finally {
            if (!isReleased) {
                release(parent);
            }
        }
    }

    // A descriptor that a server no longer knows stays stale, but the name may still lead to the directory.
    private boolean mayPass(int errno) {
        return Errno.mayPass(errno) || (errno == Errno.EMFILE || errno == Errno.ENFILE) && closeUnheld();
    }

    private @Nullable FileStatus openOnce(FileAccess access, Directory parent, Directory child, boolean examines)
            throws SystemCallException {
        int descriptor = openDirectory(access, parent.descriptor, child);
        try {
            boolean isRead = examines || child.isKnown();
            FileStatus status = isRead ? access.status(descriptor) : isFull ? identity(access, descriptor) : null;
            if (!install(parent, child, descriptor, status)) {
                // Another thread has opened and closed the directory in between, and knows its identity.
                status = access.status(descriptor);
                install(parent, child, descriptor, status);
            }
            return isRead && child.descriptor == descriptor ? status : null;
        } catch (SystemCallException e) {
            access.closeQuietly(descriptor);
            throw e;
        }
    }

    // Read here, and not under the lock when the directory is closed. Null if that fails: then it is tried again.
    private static @Nullable FileStatus identity(FileAccess access, int descriptor) {
        SeenStatuses seen = access.seen();
        int answer = access.calls()
                .statx(descriptor, FileAccess.emptyName(), AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, seen.next());
        return answer < 0 ? null : seen.status();
    }

    private int openDirectory(FileAccess access, int parent, Directory child) throws SystemCallException {
        return access.open(parent, access.name(child.path().nameBytes()), child.openFlags() | flags, 0);
    }

    /**
     * Makes a descriptor that of the child, pins the child and releases the parent. If another thread has opened the
     * child in between, its descriptor is kept.
     *
     * @return false if nothing was done, because the status is needed
     */
    private boolean install(Directory parent, Directory child, int descriptor, @Nullable FileStatus status)
            throws SystemCallException {
        int closed = CLOSED;
        int evicted = CLOSED;
        lock.lock();
        try {
            if (status == null && child.isKnown()) {
                return false;
            }
            boolean isKept = child.descriptor != CLOSED;
            if (status != null && (!isKept || child.isKnown()) && !child.identify(status)) {
                throw new SystemCallException("open", Errno.ESTALE);
            }
            if (isKept) {
                closed = descriptor;
                pin(child);
            } else {
                child.descriptor = descriptor;
                child.pins = 1;
                open++;
            }
            unpin(parent);
            isFull = open >= budget;
            while (open > budget && oldest != null) {
                closeIfOpen(evicted);
                evicted = evict(oldest);
            }
        } finally {
            lock.unlock();
        }
        closeIfOpen(closed);
        closeIfOpen(evicted);
        return true;
    }

    private void closeIfOpen(int descriptor) {
        if (descriptor != CLOSED) {
            calls.closeQuietly(descriptor);
        }
    }

    /**
     * Replaces the descriptor of a directory that only the caller holds by a new one.
     *
     * @return whether it could be replaced; false for a root and while others hold the directory
     * @throws SystemCallException as {@link #open}; then the descriptor is the old one
     */
    boolean renew(Directory directory, FileAccess access) throws SystemCallException {
        Directory parent = directory.parentOrNull();
        if (parent == null) {
            return false;
        }
        int above = hold(parent, access);
        try {
            for (int tries = 1;; tries++) {
                int descriptor = openDirectory(access, above, directory);
                try {
                    int old = replace(directory, descriptor, access.status(descriptor));
                    calls.closeQuietly(old);
                    return old != descriptor;
                } catch (SystemCallException e) {
                    access.closeQuietly(descriptor);
                    if (tries == TRIES || !mayPass(e.errno())) {
                        throw e;
                    }
                }
            }
        } finally {
            release(parent);
        }
    }

    // Returns the descriptor to close: the new one if others hold the directory.
    private int replace(Directory directory, int descriptor, FileStatus status) throws SystemCallException {
        lock.lock();
        try {
            if (directory.pins > 1) {
                return descriptor;
            }
            if (!directory.identify(status)) {
                throw new SystemCallException("open", Errno.ESTALE);
            }
            int old = directory.descriptor;
            directory.descriptor = descriptor;
            return old;
        } finally {
            lock.unlock();
        }
    }

    void release(Directory directory) {
        int closed = CLOSED;
        lock.lock();
        try {
            unpin(directory);
            if (directory.pins == 0 && (directory.retired || open > budget)) {
                closed = evict(directory.retired || oldest == null ? directory : oldest);
            }
        } finally {
            lock.unlock();
        }
        closeIfOpen(closed);
    }

    private void unpin(Directory directory) {
        if (--directory.pins == 0) {
            link(directory);
        }
    }

    void retire(Directory directory) {
        int closed = CLOSED;
        lock.lock();
        try {
            directory.retired = true;
            if (directory.pins == 0 && directory.descriptor != CLOSED) {
                closed = evict(directory);
            }
        } finally {
            lock.unlock();
        }
        closeIfOpen(closed);
    }

    /** Closes all directories without holders and returns whether there were any. For callers that got EMFILE. */
    public boolean closeUnheld() {
        lock.lock();
        try {
            boolean any = oldest != null;
            while (oldest != null) {
                calls.closeQuietly(evict(oldest));
            }
            return any;
        } finally {
            lock.unlock();
        }
    }

    private void link(Directory directory) {
        directory.older = newest;
        directory.newer = null;
        if (newest == null) {
            oldest = directory;
        } else {
            newest.newer = directory;
        }
        newest = directory;
    }

    private void unlink(Directory directory) {
        Directory older = directory.older;
        Directory newer = directory.newer;
        if (older == null) {
            oldest = newer;
        } else {
            older.newer = newer;
        }
        if (newer == null) {
            newest = older;
        } else {
            newer.older = older;
        }
        directory.older = null;
        directory.newer = null;
    }

    // Returns the descriptor, which the caller closes. Directory descriptors are never written through, so an error of close carries no
    // information.
    private int evict(Directory directory) {
        unlink(directory);
        if (!directory.isKnown()) {
            identify(directory);
        }
        int descriptor = directory.descriptor;
        directory.descriptor = CLOSED;
        open--;
        return descriptor;
    }

    // A directory that is retired or cannot be examined is never opened again.
    private void identify(Directory directory) {
        if (directory.retired) {
            directory.lose();
            return;
        }
        MemorySegment result = scratch;
        if (result == null) {
            result = Arena.ofAuto().allocate(STATX_SIZE, 8);
            scratch = result;
        }
        int answer = calls.statx(directory.descriptor, FileAccess.emptyName(), AT_EMPTY_PATH | AT_STATX_DONT_SYNC,
                STATX_INO, result);
        if (answer < 0) {
            directory.lose();
        } else {
            directory.identify(layout.read(result));
        }
    }

    /** Closes a root that {@link #root} took over, and the tree below it; directories with holders stay open. */
    public void closeRoot(Directory root) {
        retire(root);
        release(root);
    }

    @Override
    public void close() {
        closeUnheld();
    }
}
