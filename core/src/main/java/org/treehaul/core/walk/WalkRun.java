// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileSystemCalls;

/** What the workers of one walk share. */
final class WalkRun<D> implements AutoCloseable {

    private final WalkOptions options;
    private final List<Root> roots;
    private final Cancellation cancellation;
    private final Frontier<Work<D>> frontier;
    private final DirectoryPool directories;
    private final AtomicReferenceArray<@Nullable Directory> openRoots;
    private final long[] rootDevices;
    private volatile boolean quit;
    private volatile @Nullable Throwable fault;

    WalkRun(FileSystemCalls calls, WalkOptions options, List<Root> roots, Cancellation cancellation, int workers,
            int active) {
        this.options = options;
        this.roots = roots;
        this.cancellation = cancellation;
        this.frontier = new Frontier<>(workers, active);
        this.directories = DirectoryPool.withinLimit(calls, options.directoryBudget());
        this.openRoots = new AtomicReferenceArray<>(roots.size());
        this.rootDevices = new long[roots.size()];
    }

    WalkOptions options() {
        return options;
    }

    Root root(int index) {
        return roots.get(index);
    }

    Frontier<Work<D>> frontier() {
        return frontier;
    }

    Directory openRoot(int index, int descriptor) {
        Directory root = directories.root(descriptor, roots.get(index).path());
        openRoots.set(index, root);
        return root;
    }

    // The root is opened, and its device recorded, before anything below it is.
    boolean isOtherFileSystem(WalkDirectory<D> directory, FileStatus status) {
        int index = directory.rootIndex();
        if (directory.parent() == null) {
            rootDevices[index] = status.device();
        }
        return rootDevices[index] != status.device();
    }

    boolean isStopped() {
        if (quit) {
            return true;
        }
        if (cancellation.isCancelled()) {
            quit();
        }
        return quit;
    }

    void quit() {
        quit = true;
        frontier.stop();
    }

    void fault(Throwable cause) {
        fault = cause;
        quit();
    }

    @Nullable Throwable fault() {
        return fault;
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
