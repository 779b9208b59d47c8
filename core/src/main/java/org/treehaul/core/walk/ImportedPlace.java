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
 * A directory that another rank told of. This rank enters it, and what is on the way to it, when it begins the first
 * thing in it; the handler has attached what it attaches then, and is never told to leave these directories.
 */
final class ImportedPlace<D> {

    private final WalkRun<D> run;
    private final int rootIndex;
    private final byte[] path;
    private @Nullable WalkDirectory<D> directory;

    /**
     * Makes a place.
     *
     * @param path names with slashes between them; a name that was reached by following a link has one more before it
     */
    ImportedPlace(WalkRun<D> run, int rootIndex, byte[] path) {
        this.run = run;
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
     * Returns the directory, entered; null when that failed, which is reported then as the failure of one thing in it.
     *
     * @param name of the thing in it, null for the directory itself
     */
    @Nullable WalkDirectory<D> arrive(WalkWorker<D> worker, byte @Nullable [] name) {
        if (run.isStopped()) {
            return null;
        }
        TreePath at = TreePath.root();
        try {
            synchronized (this) {
                WalkDirectory<D> known = directory;
                if (known == null) {
                    worker.busyWith(rootIndex, at);
                    known = run.importedRoot(rootIndex, worker);
                    for (byte[] step : steps(path)) {
                        if (!known.isAttached()) {
                            // The handler said why; what is below it may ask for what it attached.
                            break;
                        }
                        boolean followed = step[0] == '/';
                        byte[] plain = followed ? Arrays.copyOfRange(step, 1, step.length) : step;
                        WalkDirectory<D> child = known.child(plain, followed);
                        child.markImported();
                        at = child.path();
                        child.opened(child.handle().open(worker.access()));
                        try {
                            child.attach(worker.called().enter(child, worker));
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
            EntryFailure failure = EntryFailure.of(run.root(rootIndex).path(), failed, e);
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

    /** Returns the names, each with a slash before it when it is that of a followed link. */
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

    /** Returns the path of a directory in this form. */
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
