// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;

/**
 * Performs an operation on the directories of a plan, the deepest first, except those in which an entry failed. It may
 * be repeated: a directory that is gone counts as done. Used by one thread.
 */
final class OperationFinishing implements AutoCloseable {

    private final FileAccess access;
    private final DirectoryPool pool;
    private final Plan plan;
    private final EntryOperation operation;
    private final FailedPlaces failed;
    private final Consumer<EntryFailure> consumer;
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);

    // The directories on the way to the last parent, the root first, all of one root.
    private final List<Directory> way = new ArrayList<>();
    private int wayRoot = -1;

    /**
     * Creates an instance.
     *
     * @param failed the directories in which an entry failed
     * @param consumer receives the failures
     */
    OperationFinishing(FileSystemCalls calls, Plan plan, EntryOperation operation, FailedPlaces failed,
            Consumer<EntryFailure> consumer) {
        this.access = FileAccess.open(calls);
        this.pool = DirectoryPool.ofWays(calls, DirectoryPool.LARGEST_BUDGET);
        this.plan = plan;
        this.operation = operation;
        this.failed = failed;
        this.consumer = consumer;
    }

    /** Performs the operation; returns whether all directories were tried. */
    boolean run(Progress progress, Cancellation stop) throws IOException {
        try (PlanRecords<PlannedDirectory> directories = plan.directories()) {
            for (PlannedDirectory next = directories.next(); next != null; next = directories.next()) {
                if (stop.isCancelled()) {
                    return false;
                }
                if (!failed.contain(source(next.root()), next.path())) {
                    perform(next, progress);
                }
            }
        }
        return !stop.isCancelled();
    }

    /** Returns the number of failures by kind. */
    Map<EntryFailure.Kind, Long> failures() {
        return failures;
    }

    private ByteString source(int root) {
        return plan.header().roots().get(root).source();
    }

    private void perform(PlannedDirectory directory, Progress progress) {
        try {
            EntryOperation.Outcome outcome;
            if (directory.path().isRoot()) {
                leaveWay();
                try (LongPath path = LongPath.of(access, source(directory.root()))) {
                    outcome = perform(directory, path.base(), access.rootName(path.rest()));
                }
            } else {
                Directory parent = parent(directory);
                int descriptor = parent.acquire(access);
                try {
                    outcome = perform(directory, descriptor, access.name(directory.path().nameBytes()));
                } finally {
                    parent.release();
                }
            }
            if (outcome == EntryOperation.Outcome.CHANGED) {
                fail(directory, EntryFailure.Kind.CHANGED, new SystemCallException("compare with the plan", 0));
            } else {
                progress.directoryDone();
            }
        } catch (SystemCallException e) {
            switch (e.errno()) {
                case Errno.ENOENT -> progress.directoryDone();
                // Something was created in it since, or it was replaced.
                case Errno.ENOTEMPTY, Errno.EEXIST, Errno.ENOTDIR, Errno.ELOOP ->
                    fail(directory, EntryFailure.Kind.CHANGED, e);
                default -> fail(directory, EntryFailure.Kind.ERROR, e);
            }
        }
    }

    private EntryOperation.Outcome perform(PlannedDirectory directory, int parent, MemorySegment name)
            throws SystemCallException {
        Identity identity = directory.identity();
        if (identity == null) {
            throw new IllegalStateException("a plan without identities");
        }
        return operation.directory(new OperationTarget(access, parent, name, identity));
    }

    // The plan is sorted, so that most directories have the way of the one before.
    private Directory parent(PlannedDirectory directory) throws SystemCallException {
        if (wayRoot != directory.root()) {
            leaveWay();
            ByteString source = source(directory.root());
            try (LongPath path = LongPath.of(access, source)) {
                way.add(pool.root(
                        access.open(path.base(), access.rootName(path.rest()), O_DIRECTORY | O_NOFOLLOW | O_PATH, 0),
                        source));
            }
            wayRoot = directory.root();
        }
        TreePath parent = directory.path().parent();
        while (!isAbove(way.getLast().path(), parent)) {
            way.removeLast().retire();
        }
        List<TreePath> missing = new ArrayList<>();
        for (TreePath path = parent; path.depth() > way.getLast().path().depth(); path = path.parent()) {
            missing.add(path);
        }
        missing.reversed().forEach(path -> way.add(way.getLast().child(path)));
        return way.getLast();
    }

    private static boolean isAbove(TreePath directory, TreePath path) {
        TreePath above = path;
        while (above.depth() > directory.depth()) {
            above = above.parent();
        }
        return above.equals(directory);
    }

    private void leaveWay() {
        if (!way.isEmpty()) {
            way.reversed().subList(0, way.size() - 1).forEach(Directory::retire);
            pool.closeRoot(way.getFirst());
            way.clear();
        }
        wayRoot = -1;
    }

    private void fail(PlannedDirectory directory, EntryFailure.Kind kind, SystemCallException cause) {
        EntryFailure failure = EntryFailure.of(source(directory.root()), directory.path(), cause).as(kind);
        failed.add(failure);
        failures.merge(kind, 1L, Long::sum);
        consumer.accept(failure);
    }

    @Override
    public void close() {
        leaveWay();
        pool.close();
        access.close();
    }
}
