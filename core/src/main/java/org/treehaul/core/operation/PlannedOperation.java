// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

import org.slf4j.LoggerFactory;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LeaseCheckedCalls;
import org.treehaul.core.fs.SystemCallException;

/**
 * An operation on the entries of a plan, with the checks that its {@link Repetition} demands. It examines each entry
 * directly before the operation. Safe for any number of threads.
 */
public final class PlannedOperation {

    private final EntryOperation operation;
    private final Repetition repetition;
    private final BooleanSupplier mayBegin;
    private final BooleanSupplier mayWrite;
    private final DeviceNumbers devices = new DeviceNumbers();
    private final AtomicBoolean isFaultLogged = new AtomicBoolean();

    /**
     * An entry of a plan.
     *
     * @param directory the descriptor against which the name is resolved
     * @param name the name, NUL-ended; for a root, its path
     * @param planned the identity in the plan
     */
    public record Planned(int directory, MemorySegment name, Identity planned, ByteString root, TreePath path) {}

    /**
     * Creates an instance for one attempt.
     *
     * @param mayBegin whether the operation may begin on an entry: the lease is good
     * @param mayWrite whether no other attempt can have started; called before each change of an idempotent operation
     */
    public PlannedOperation(EntryOperation operation, Repetition repetition, BooleanSupplier mayBegin,
            BooleanSupplier mayWrite) {
        this.operation = operation;
        this.repetition = repetition;
        this.mayBegin = mayBegin;
        this.mayWrite = mayWrite;
    }

    /** Returns the calls for the operation, which reject changes that it must not make. */
    public FileSystemCalls checked(FileSystemCalls calls) {
        return LeaseCheckedCalls.over(calls, switch (repetition) {
            case IDEMPOTENT -> mayWrite;
            case READ_ONLY -> () -> false;
            case COMPARED_WITH_PLAN -> mayBegin;
        }, name -> false);
    }

    /** Returns whether the operation removes entries. */
    public boolean removes() {
        return operation.removes();
    }

    /** Returns whether the operation changes the trees, so that its changes must be synced to disk. */
    public boolean writes() {
        return repetition != Repetition.READ_ONLY;
    }

    /**
     * Performs the operation on an entry or a directory of a plan.
     *
     * @param access file access for the calling thread, over the {@linkplain #checked checked} calls
     * @return the failure; empty if the entry is done. CHANGED if it is not the planned one, and was not touched;
     *         VANISHED if it no longer exists and the operation does not remove entries; ECANCELED if the operation may
     *         no longer begin
     */
    public Optional<EntryFailure> perform(FileAccess access, Planned entry) {
        FileStatus status;
        try {
            status = access.status(entry.directory(), entry.name());
        } catch (SystemCallException e) {
            return isAbsent(entry, e) ? gone(entry, e) : failure(entry, EntryFailure.Kind.ERROR, e);
        }
        if (!isPlanned(entry.planned(), status)) {
            return failure(entry, EntryFailure.Kind.CHANGED, new SystemCallException("compare with the plan", 0));
        }
        if (!mayBegin.getAsBoolean()) {
            return failure(entry, EntryFailure.Kind.ERROR, new SystemCallException("begin", Errno.ECANCELED));
        }
        try {
            perform(new OperationTarget(access.calls(), entry.directory(), entry.name(), status, entry.root(),
                    entry.path()));
            return Optional.empty();
        } catch (SystemCallException e) {
            // ENOENT can also be about something else that the operation uses, such as a directory that it writes to.
            if (e.errno() == Errno.ENOENT && isGone(access, entry)) {
                return gone(entry, e);
            }
            return failure(entry, e.errno() == Errno.ESTALE ? EntryFailure.Kind.CHANGED : EntryFailure.Kind.ERROR, e);
        }
    }

    private void perform(OperationTarget target) throws SystemCallException {
        boolean wasInterrupted = Thread.currentThread().isInterrupted();
        try {
            if (target.status().kind() == EntryKind.DIRECTORY) {
                operation.directory(target);
            } else {
                operation.entry(target);
            }
        } catch (RuntimeException | LinkageError e) {
            // If the walk received the exception, it would end each worker that takes over the batch, and no report
            // would name the entry.
            if (!isFaultLogged.getAndSet(true)) {
                LoggerFactory.getLogger(PlannedOperation.class)
                        .warn("the operation failed at {}", target.path().below(target.root()), e);
            }
            throw new SystemCallException("fault in the operation: " + ByteString.of(e.toString()), 0);
        } finally {
            if (!wasInterrupted) {
                // An interrupt that the operation has left behind would close the plan and the journals.
                Thread.interrupted();
            }
        }
    }

    private Optional<EntryFailure> gone(Planned entry, SystemCallException cause) {
        return operation.removes() ? Optional.empty() : failure(entry, EntryFailure.Kind.VANISHED, cause);
    }

    private static boolean isGone(FileAccess access, Planned entry) {
        try {
            access.status(entry.directory(), entry.name());
            return false;
        } catch (SystemCallException e) {
            return isAbsent(entry, e);
        }
    }

    // ENOTDIR: a file is on the way to a root now.
    private static boolean isAbsent(Planned entry, SystemCallException e) {
        return e.errno() == Errno.ENOENT || e.errno() == Errno.ENOTDIR && entry.path().isRoot();
    }

    private static Optional<EntryFailure> failure(Planned entry, EntryFailure.Kind kind, SystemCallException cause) {
        return Optional.of(EntryFailure.of(entry.root(), entry.path(), cause).as(kind));
    }

    private boolean isPlanned(Identity planned, FileStatus status) {
        return switch (repetition) {
            case COMPARED_WITH_PLAN -> planned.isThatFile(status) && (planned.isThatOf(status) || isDone(status))
                    && devices.agree(planned.device(), status.device());
            case IDEMPOTENT, READ_ONLY -> EntryKind.isKnown(status.mode()) && status.kind() == planned.kind();
        };
    }

    private boolean isDone(FileStatus status) {
        try {
            return operation.isDone(status);
        } catch (RuntimeException | LinkageError e) {
            // The entry is reported as changed.
            return false;
        }
    }
}
