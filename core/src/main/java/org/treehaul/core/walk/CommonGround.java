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

/**
 * What walks that share their work in one process have in common: the roots, the open directories, and which directory
 * a unit belongs to that is on its way from one to another. A directory is entered by one of them and is the same
 * object for all; whoever does the last part of it leaves it.
 *
 * <p>
 * Closed when all the walks have ended. Safe for any number of threads.
 *
 * @param <D> what the handler attaches to each directory
 */
public final class CommonGround<D> implements AutoCloseable {

    private final DirectoryPool directories;
    private final List<Root> roots;
    private final AtomicReferenceArray<@Nullable Directory> openRoots;

    // Written when the root is opened, before anything below it is begun or given away.
    private final long[] rootDevices;

    private final Map<Long, WalkDirectory<D>> underWay = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    private CommonGround(FileSystemCalls calls, List<Root> roots, int directoryBudget) {
        this.directories = DirectoryPool.withinLimit(calls, directoryBudget);
        this.roots = List.copyOf(roots);
        this.openRoots = new AtomicReferenceArray<>(roots.size());
        this.rootDevices = new long[roots.size()];
    }

    /**
     * Returns the ground of walks of these roots.
     *
     * @param directoryBudget descriptors to keep open for directories where possible, for all walks together
     */
    public static <D> CommonGround<D> of(FileSystemCalls calls, List<Root> roots, int directoryBudget) {
        return new CommonGround<>(calls, roots, directoryBudget);
    }

    List<Root> roots() {
        return roots;
    }

    Directory openRoot(int index, int descriptor) {
        Directory root = directories.root(descriptor, roots.get(index).path());
        openRoots.set(index, root);
        return root;
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

    /** Takes note of the directory that a unit belongs to, which goes to another walk; returns the unit's number. */
    long send(WalkDirectory<D> directory) {
        long number = numbers.incrementAndGet();
        underWay.put(number, directory);
        return number;
    }

    /** Returns the directory of a unit that has arrived, once; null when there is none of that number. */
    @Nullable WalkDirectory<D> arrive(long number) {
        return underWay.remove(number);
    }

    @Override
    public void close() {
        for (int i = 0; i < openRoots.length(); i++) {
            Directory root = openRoots.get(i);
            if (root != null) {
                directories.closeRoot(root);
            }
        }
        directories.close();
    }
}
