// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * A directory that another rank found. This rank enters it, and the directories on the path to it, when it begins the
 * first task in it. The handler attaches its value then; its {@code leave} is never called for these directories.
 */
final class ImportedPlace<D> {

    private final int rootIndex;
    private final byte[] path;
    private @Nullable WalkDirectory<D> directory;

    /**
     * Creates the place of a directory.
     *
     * @param path names with slashes between them; the name of a followed link is preceded by a second slash
     */
    ImportedPlace(int rootIndex, byte[] path) {
        this.rootIndex = rootIndex;
        this.path = path;
    }

    int rootIndex() {
        return rootIndex;
    }

    byte[] path() {
        return path;
    }

    /**
     * Returns the entered directory, or null when entering it failed. A failure is reported for the task that asked.
     *
     * @param name name of the task's entry in the directory, or null for the directory itself
     */
    @Nullable WalkDirectory<D> arrive(Work.Runner<D> worker, byte @Nullable [] name) {
        if (worker.isStopped()) {
            return null;
        }
        TreePath at = TreePath.root();
        try {
            synchronized (this) {
                WalkDirectory<D> known = directory;
                if (known == null) {
                    worker.busyWith(rootIndex, at);
                    known = worker.importedRoot(rootIndex);
                    for (byte[] step : steps(path)) {
                        if (!known.isAttached()) {
                            // The handler has reported why. Directories below this one might need the attachment.
                            break;
                        }
                        boolean followed = step[0] == '/';
                        byte[] plain = followed ? Arrays.copyOfRange(step, 1, step.length) : step;
                        WalkDirectory<D> child = known.child(plain, followed);
                        child.markImported();
                        at = child.path();
                        child.opened(child.handle().open(worker.access()));
                        try {
                            worker.enter(child);
                        } finally {
                            child.handle().release();
                        }
                        known = child;
                    }
                    directory = known;
                }
                return known.isAttached() ? known : null;
            }
        } catch (SystemCallException e) {
            TreePath failed = name == null ? at : whole().child(name);
            EntryFailure failure = EntryFailure.of(worker.rootPath(rootIndex), failed, e);
            boolean vanished = e.errno() == Errno.ENOENT && !at.isRoot();
            worker.failed(vanished ? failure.as(EntryFailure.Kind.VANISHED) : failure);
            return null;
        }
    }

    private TreePath whole() {
        TreePath whole = TreePath.root();
        for (byte[] step : steps(path)) {
            whole = whole.child(step[0] == '/' ? Arrays.copyOfRange(step, 1, step.length) : step);
        }
        return whole;
    }

    /** Returns the names; the name of a followed link begins with a slash. */
    static List<byte[]> steps(byte[] path) {
        List<byte[]> steps = new ArrayList<>();
        int start = 0;
        while (start < path.length) {
            int end = start + 1;
            while (end < path.length && path[end] != '/') {
                end++;
            }
            steps.add(Arrays.copyOfRange(path, start, end));
            start = end + 1;
        }
        return steps;
    }

    /** Returns the path of a directory in the form that {@link #steps} reads. */
    static byte[] pathTo(WalkDirectory<?> directory) {
        ArrayDeque<byte[]> names = new ArrayDeque<>();
        int length = 0;
        for (WalkDirectory<?> d = directory; d.parent() != null; d = d.parent()) {
            byte[] name = d.path().nameBytes();
            if (d.handle().isFollowed()) {
                byte[] marked = new byte[name.length + 1];
                marked[0] = '/';
                System.arraycopy(name, 0, marked, 1, name.length);
                name = marked;
            }
            names.push(name);
            length += name.length + 1;
        }
        byte[] path = new byte[Math.max(0, length - 1)];
        int at = 0;
        for (byte[] name : names) {
            System.arraycopy(name, 0, path, at, name.length);
            at += name.length + 1;
            if (at <= path.length) {
                path[at - 1] = '/';
            }
        }
        return path;
    }
}
