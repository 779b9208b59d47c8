// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.O_PATH;

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
 * One lock guards the list and the fields of all directories; close is the only system call made under it. Safe for any
 * number of threads.
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
        this.calls = calls;
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
        int descriptor = pinIfOpen(directory);
        if (descriptor == CLOSED) {
            reopen(directory, access);
        }
        return directory.descriptor;
    }

    int pinIfOpen(Directory directory) {
        lock.lock();
        try {
            if (directory.descriptor != CLOSED) {
                if (directory.pins++ == 0) {
                    unlink(directory);
                }
            }
            return directory.descriptor;
        } finally {
            lock.unlock();
        }
    }

    // Opens from the nearest open ancestor downwards, without recursion, because the chain may be ten thousand names
    // long.
    FileStatus reopen(Directory directory, FileAccess access) throws SystemCallException {
        ArrayDeque<Directory> chain = new ArrayDeque<>();
        Directory top = directory;
        do {
            chain.push(top);
            Directory parent = top.parentOrNull();
            if (parent == null) {
                throw new SystemCallException("open", Errno.EBADF);
            }
            top = parent;
        } while (pinIfOpen(top) == CLOSED);
        Directory held = top;
        while (true) {
            Directory next = chain.pop();
            FileStatus status;
            try {
                status = openChild(access, held.descriptor, next);
            } finally {
                release(held);
            }
            if (chain.isEmpty()) {
                return status;
            }
            held = next;
        }
    }

    private FileStatus openChild(FileAccess access, int parent, Directory child) throws SystemCallException {
        for (int tries = 1;; tries++) {
            try {
                return openOnce(access, parent, child);
            } catch (SystemCallException e) {
                if (tries == TRIES || !mayPass(e.errno())) {
                    throw e;
                }
            }
        }
    }

    // A descriptor that a server no longer knows stays stale, but the name may still lead to the directory.
    private boolean mayPass(int errno) {
        return Errno.mayPass(errno) || (errno == Errno.EMFILE || errno == Errno.ENFILE) && closeUnheld();
    }

    private FileStatus openOnce(FileAccess access, int parent, Directory child) throws SystemCallException {
        int descriptor = openDirectory(access, parent, child);
        try {
            FileStatus status = access.status(descriptor);
            install(child, descriptor, status);
            return status;
        } catch (SystemCallException e) {
            access.closeQuietly(descriptor);
            throw e;
        }
    }

    private int openDirectory(FileAccess access, int parent, Directory child) throws SystemCallException {
        return access.open(parent, access.name(child.path().nameBytes()), child.openFlags() | flags, 0);
    }

    // If another thread has opened the same directory in between, its descriptor is kept.
    private void install(Directory directory, int descriptor, FileStatus status) throws SystemCallException {
        lock.lock();
        try {
            if (!directory.identify(status)) {
                throw new SystemCallException("open", Errno.ESTALE);
            }
            if (directory.descriptor != CLOSED) {
                calls.close(descriptor);
                if (directory.pins++ == 0) {
                    unlink(directory);
                }
                return;
            }
            directory.descriptor = descriptor;
            directory.pins = 1;
            open++;
            while (open > budget && oldest != null) {
                evict(oldest);
            }
        } finally {
            lock.unlock();
        }
    }

    void release(Directory directory) {
        lock.lock();
        try {
            if (--directory.pins == 0) {
                link(directory);
                if (directory.retired || open > budget) {
                    evict(directory.retired || oldest == null ? directory : oldest);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    void retire(Directory directory) {
        lock.lock();
        try {
            directory.retired = true;
            if (directory.pins == 0 && directory.descriptor != CLOSED) {
                evict(directory);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Closes all directories without holders and returns whether there were any. For callers that got EMFILE. */
    public boolean closeUnheld() {
        lock.lock();
        try {
            boolean any = oldest != null;
            while (oldest != null) {
                evict(oldest);
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

    private void evict(Directory directory) {
        unlink(directory);
        // Directory descriptors are never written through, so an error of close carries no information.
        calls.close(directory.descriptor);
        directory.descriptor = CLOSED;
        open--;
    }

    /** Closes a root that {@link #root} took over, and the tree below it; directories with holders stay open. */
    public void closeRoot(Directory root) {
        release(root);
        retire(root);
    }

    @Override
    public void close() {
        closeUnheld();
    }
}
