// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Consumer;

import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.time.StoredTimes;
import org.treehaul.core.move.OpenPath;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.operation.PlannedOperation;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.transfer.journal.RootedPath;

/**
 * Removes names of moved files from the sources, each directly after it was compared with the version that was copied,
 * and with its copy. Used by one thread.
 */
final class SourceRemover implements AutoCloseable {

    private static final String PLAN = "compare with the plan";
    private static final String COPY = "compare with the copy";

    private final FileAccess access;
    private final StoredTimes times;
    private final OpenPath sources;
    private final OpenPath targets;
    private final PlanHeader header;
    private final PlannedOperation removal;
    private final FailedPlaces kept;
    private final Consumer<EntryFailure> failures;

    /**
     * Creates an instance.
     *
     * @param calls system calls, which the removal checks
     * @param kept gets the directories of names that stay
     * @param failures receives the names that cannot be removed
     */
    SourceRemover(FileSystemCalls calls, PlanHeader header, PlannedOperation removal, FailedPlaces kept,
            Consumer<EntryFailure> failures) {
        this.access = FileAccess.open(calls);
        this.times = new StoredTimes(access);
        this.sources = new OpenPath(calls, access);
        this.targets = new OpenPath(calls, access);
        this.header = header;
        this.removal = removal;
        this.kept = kept;
        this.failures = failures;
    }

    /** Work on a name, whose directory is open. */
    @FunctionalInterface
    private interface Work {
        Optional<EntryFailure> on(int directory, MemorySegment name, boolean hasCopy) throws SystemCallException;
    }

    /** Removes a file with one name. */
    void removeSingle(MovedFile file) {
        RootedPath name = file.names().getFirst();
        perform(file, name,
                (directory, segment, hasCopy) -> hasCopy
                        ? remove(file.identity(false), name, directory, segment)
                        : changed(file, name, directory, segment))
                .ifPresent(failures);
    }

    /**
     * Removes a file with several names: all of them, or none if one of them or its copy has changed.
     *
     * @param isBegun whether an earlier finishing may have removed some
     * @return whether no name is left, or all are
     */
    boolean removeGroup(MovedFile file, boolean isBegun) {
        // All are compared before the first is removed, because that changes the ctime of the others.
        Identity planned = file.identity(isBegun);
        boolean areSame = true;
        for (RootedPath name : file.names()) {
            Optional<EntryFailure> failure = perform(file, name, (directory, segment, hasCopy) -> {
                FileStatus now = access.status(directory, segment);
                if (!planned.isThatOf(now)) {
                    return changed(name, PLAN);
                }
                return hasCopy ? Optional.empty() : changed(name, COPY);
            });
            failure.ifPresent(failures);
            areSame &= failure.isEmpty();
        }
        if (!areSame) {
            file.names().forEach(name -> kept.add(source(name), name.path()));
            return !isBegun;
        }
        for (RootedPath name : file.names()) {
            Optional<EntryFailure> failure = perform(file, name,
                    (directory, segment, hasCopy) -> remove(file.identity(true), name, directory, segment));
            if (failure.isPresent()) {
                failures.accept(failure.get());
                file.names().forEach(other -> kept.add(source(other), other.path()));
                return false;
            }
        }
        return true;
    }

    private Optional<EntryFailure> remove(Identity planned, RootedPath name, int directory, MemorySegment segment) {
        return removal.perform(access,
                new PlannedOperation.Planned(directory, segment, planned, source(name), name.path()));
    }

    // A user may have removed or changed the copy since; then the source stays.
    private boolean hasCopy(MovedFile file, RootedPath name) throws SystemCallException {
        ByteString target = UserPath.stripSlashes(header.roots().get(name.root()).target());
        try {
            if (name.path().isRoot()) {
                try (LongPath whole = LongPath.of(access, target)) {
                    return hasCopy(file, whole.base(), access.rootName(whole.rest()));
                }
            }
            int directory = targets.open(name.root(), target, name.path().parent());
            return hasCopy(file, directory, access.otherName(name.path().nameBytes()));
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR || e.errno() == Errno.ELOOP) {
                return false;
            }
            throw new SystemCallException(COPY, e.errno());
        }
    }

    private boolean hasCopy(MovedFile file, int directory, MemorySegment name) throws SystemCallException {
        return file.version().mayBeIn(access.status(directory, name), times, directory, name);
    }

    private Optional<EntryFailure> changed(MovedFile file, RootedPath name, int directory, MemorySegment segment)
            throws SystemCallException {
        FileStatus now = access.status(directory, segment);
        return changed(name, file.identity(false).isThatOf(now) ? COPY : PLAN);
    }

    private Optional<EntryFailure> changed(RootedPath name, String operation) {
        return failure(name, EntryFailure.Kind.CHANGED, new SystemCallException(operation, 0));
    }

    // A name that no longer exists was removed by an earlier finishing, or by another process; its copy is complete.
    private Optional<EntryFailure> perform(MovedFile file, RootedPath name, Work work) {
        try {
            // Before the name is encoded, because the search for the copy needs the same memory.
            boolean hasCopy = hasCopy(file, name);
            TreePath path = name.path();
            if (path.isRoot()) {
                try (LongPath whole = LongPath.of(access, UserPath.stripSlashes(source(name)))) {
                    return work.on(whole.base(), access.rootName(whole.rest()), hasCopy);
                }
            }
            int directory = sources.open(name.root(), source(name), path.parent());
            return work.on(directory, access.name(path.nameBytes()), hasCopy);
        } catch (SystemCallException e) {
            return switch (e.errno()) {
                case Errno.ENOENT -> Optional.empty();
                case Errno.ENOTDIR, Errno.ELOOP -> failure(name, EntryFailure.Kind.CHANGED, e);
                default -> failure(name, EntryFailure.Kind.ERROR, e);
            };
        }
    }

    private Optional<EntryFailure> failure(RootedPath name, EntryFailure.Kind kind, SystemCallException cause) {
        return Optional.of(EntryFailure.of(source(name), name.path(), cause).as(kind));
    }

    private ByteString source(RootedPath name) {
        return header.roots().get(name.root()).source();
    }

    @Override
    public void close() {
        sources.close();
        targets.close();
        access.close();
    }
}
