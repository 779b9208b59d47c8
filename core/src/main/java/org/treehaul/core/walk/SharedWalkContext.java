// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.options.Root;

/**
 * Holds the state that walks in one process share while they share their work: the roots, the open directories, and the
 * directory of each unit that is on its way from one walk to another. One of the walks enters a directory, all see the
 * same object, and the walk that completes the last part of it leaves it.
 *
 * <p>
 * The owner closes it after all walks have ended. Safe for any number of threads.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
public final class SharedWalkContext<D> implements AutoCloseable {

    private final DirectoryPool directories;
    private final List<Root> roots;
    private final AtomicReferenceArray<@Nullable Directory> openRoots;

    // Written when the root is opened, before anything below it is begun or given away.
    private final long[] rootDevices;

    private final Map<Long, WalkDirectory<D>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    private SharedWalkContext(FileSystemCalls calls, List<Root> roots, int directoryBudget) {
        this.directories = DirectoryPool.withinLimit(calls, directoryBudget);
        this.roots = List.copyOf(roots);
        this.openRoots = new AtomicReferenceArray<>(roots.size());
        this.rootDevices = new long[roots.size()];
    }

    /**
     * Returns the shared state for walks of these roots.
     *
     * @param directoryBudget descriptors to keep open for directories where possible, for all walks together
     */
    public static <D> SharedWalkContext<D> of(FileSystemCalls calls, List<Root> roots, int directoryBudget) {
        return new SharedWalkContext<>(calls, roots, directoryBudget);
    }

    List<Root> roots() {
        return roots;
    }

    Directory openRoot(int index, int descriptor) {
        Directory root = directories.root(descriptor, roots.get(index).path());
        openRoots.set(index, root);
        return root;
    }

    /** Closes a root below which everything is done. */
    void closeRoot(int index) {
        Directory root = openRoots.getAndSet(index, null);
        if (root != null) {
            directories.closeRoot(root);
        }
    }

    /** Closes the directories without holders and returns whether there were any, after an open failed with EMFILE. */
    boolean closeUnheld() {
        return directories.closeUnheld();
    }

    @Nullable Directory rootOrNull(int index) {
        return openRoots.get(index);
    }

    long rootDevice(int index) {
        return rootDevices[index];
    }

    void setRootDevice(int index, long device) {
        rootDevices[index] = device;
    }

    /** Registers the directory of a unit that moves to another walk, and returns the unit's number. */
    long send(WalkDirectory<D> directory) {
        long number = numbers.incrementAndGet();
        underWay.put(number, directory);
        return number;
    }

    /** Returns and forgets the directory registered for a unit that has arrived; null when the number is unknown. */
    @Nullable WalkDirectory<D> arrive(long number) {
        return underWay.remove(number);
    }

    @Override
    public void close() {
        for (int i = 0; i < openRoots.length(); i++) {
            closeRoot(i);
        }
        directories.close();
    }
}
