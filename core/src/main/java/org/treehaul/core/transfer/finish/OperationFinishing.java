// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_PATH;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

import org.treehaul.core.copy.target.SyncPoints;
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
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.operation.PlannedOperation;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedDirectory;
import org.treehaul.core.transfer.batch.RootCheck;

/**
 * Performs an operation on the directories of a plan, the deepest first. An operation that removes skips the
 * directories in which an entry failed, and a directory that no longer exists counts as done. The run may be repeated.
 * Used by one thread.
 */
final class OperationFinishing implements AutoCloseable {

    private final FileAccess access;
    private final DirectoryPool pool;
    private final Plan plan;
    private final PlannedOperation operation;
    private final FailedPlaces failed;
    private final Consumer<EntryFailure> consumer;
    private final PerformedMark mark;
    private final SyncPoints syncPoints;
    // The devices, numbered as in the plan, whose file systems are synced at the end.
    private final Set<Long> devices = new HashSet<>();
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);

    // The directories on the way to the last parent, the root first, all of one root.
    private final List<Directory> way = new ArrayList<>();
    private int wayRoot = -1;

    /**
     * Creates an instance.
     *
     * @param calls system calls, which the operation checks
     * @param failed the directories in which an entry failed
     * @param mark the number of directories that earlier finishing has done
     * @param consumer receives the failures
     */
    OperationFinishing(FileSystemCalls calls, Plan plan, PlannedOperation operation, FailedPlaces failed,
            PerformedMark mark, Consumer<EntryFailure> consumer) {
        FileSystemCalls checked = operation.checked(calls);
        this.access = FileAccess.open(checked);
        this.pool = DirectoryPool.ofPathDescriptors(checked, DirectoryPool.LARGEST_BUDGET);
        this.syncPoints = new SyncPoints(calls);
        this.plan = plan;
        this.operation = operation;
        this.failed = failed;
        this.mark = mark;
        this.consumer = consumer;
    }

    /** Performs the operation and syncs its changes to disk; returns whether all directories were tried. */
    boolean run(Progress progress, Cancellation stop) throws IOException {
        try (PlanRecords<PlannedDirectory> directories = plan.directories()) {
            PlannedDirectory last = null;
            long index = 0;
            for (PlannedDirectory next = directories.next(); next != null; next = directories.next()) {
                if (stop.isCancelled()) {
                    return false;
                }
                if (last != null && operation.writes() && !operation.removes() && contains(next, last)) {
                    mark.record(index);
                }
                if (!operation.removes() || !failed.contain(source(next.root()), next.path())) {
                    perform(next, index, progress, stop);
                }
                last = next;
                index++;
            }
        }
        syncPoints.sync();
        return !stop.isCancelled();
    }

    private static boolean contains(PlannedDirectory directory, PlannedDirectory other) {
        return directory.root() == other.root() && other.path().startsWith(directory.path());
    }

    /** Returns the number of failures by kind. */
    Map<EntryFailure.Kind, Long> failures() {
        return failures;
    }

    private ByteString source(int root) {
        return plan.header().roots().get(root).source();
    }

    private void perform(PlannedDirectory directory, long index, Progress progress, Cancellation stop) {
        Optional<EntryFailure> failure;
        try {
            failure = directory.path().isRoot() ? performRoot(directory) : performBelow(directory);
        } catch (SystemCallException e) {
            failure = unreachable(directory, e);
        }
        if (failure.isPresent() && stop.isCancelled()) {
            // The stop may have ended the operation. The next finishing handles the directory again.
            return;
        }
        // A directory above it that was closed after it denies the way.
        failure.filter(one -> one.errno() != Errno.EACCES || !mark.isPerformed(index))
                .ifPresentOrElse(this::fail, progress::directoryDone);
    }

    private Optional<EntryFailure> performRoot(PlannedDirectory directory) throws SystemCallException {
        leaveWay();
        try (LongPath path = LongPath.of(access, source(directory.root()))) {
            return perform(directory, path.base(), access.rootName(path.rest()));
        }
    }

    private Optional<EntryFailure> performBelow(PlannedDirectory directory) throws SystemCallException {
        Directory parent = parent(directory);
        int descriptor = parent.acquire(access);
        try {
            return perform(directory, descriptor, access.name(directory.path().nameBytes()));
        } finally {
            parent.release();
        }
    }

    // Returns the failure, if any, of a directory whose parent cannot be opened.
    private Optional<EntryFailure> unreachable(PlannedDirectory directory, SystemCallException cause) {
        boolean isGone = cause.errno() == Errno.ENOENT
                || cause.errno() == Errno.ENOTDIR && RootCheck.isAbsent(access, source(directory.root()));
        if (isGone && operation.removes()) {
            return Optional.empty();
        }
        EntryFailure.Kind kind = isGone ? EntryFailure.Kind.VANISHED : switch (cause.errno()) {
            case Errno.ENOTDIR, Errno.ELOOP -> EntryFailure.Kind.CHANGED;
            default -> EntryFailure.Kind.ERROR;
        };
        return Optional.of(EntryFailure.of(source(directory.root()), directory.path(), cause).as(kind));
    }

    private Optional<EntryFailure> perform(PlannedDirectory directory, int parent, MemorySegment name) {
        Identity identity = directory.identity();
        if (identity == null) {
            throw new IllegalStateException("a plan without identities");
        }
        if (operation.writes() && !operation.removes() && devices.add(identity.device())) {
            register(identity.device(), parent, name);
        }
        return operation
                .perform(access,
                        new PlannedOperation.Planned(parent, name, identity, source(directory.root()),
                                directory.path()))
                .map(failure -> operation.removes() && isChange(failure)
                        ? failure.as(EntryFailure.Kind.CHANGED)
                        : failure);
    }

    // Something was created in it since, or it was replaced after the comparison.
    private static boolean isChange(EntryFailure failure) {
        return switch (failure.errno()) {
            case Errno.ENOTEMPTY, Errno.EEXIST, Errno.ENOTDIR -> true;
            default -> false;
        };
    }

    private void register(long device, int parent, MemorySegment name) {
        try {
            int descriptor = access.open(parent, name, O_DIRECTORY | O_NOFOLLOW | O_PATH, 0);
            try {
                syncPoints.entered(device, descriptor);
            } finally {
                access.closeQuietly(descriptor);
            }
        } catch (SystemCallException e) {
            // The next directory of its file system takes its place.
            devices.remove(device);
        }
    }

    // The plan is sorted, so most directories have the same parent as the one before.
    private Directory parent(PlannedDirectory directory) throws SystemCallException {
        if (wayRoot != directory.root()) {
            leaveWay();
            ByteString source = source(directory.root());
            way.add(pool.root(LongPath.open(access, source, O_DIRECTORY | O_NOFOLLOW | O_PATH), source));
            wayRoot = directory.root();
        }
        TreePath parent = directory.path().parent();
        while (!parent.startsWith(way.getLast().path())) {
            way.removeLast().retire();
        }
        List<TreePath> missing = new ArrayList<>();
        for (TreePath path = parent; path.depth() > way.getLast().path().depth(); path = path.parent()) {
            missing.add(path);
        }
        missing.reversed().forEach(path -> way.add(way.getLast().child(path)));
        return way.getLast();
    }

    private void leaveWay() {
        if (!way.isEmpty()) {
            way.reversed().subList(0, way.size() - 1).forEach(Directory::retire);
            pool.closeRoot(way.getFirst());
            way.clear();
        }
        wayRoot = -1;
    }

    private void fail(EntryFailure failure) {
        mark.stop();
        failed.add(failure);
        failures.merge(failure.kind(), 1L, Long::sum);
        consumer.accept(failure);
    }

    @Override
    public void close() {
        leaveWay();
        syncPoints.close();
        pool.close();
        access.close();
    }
}
