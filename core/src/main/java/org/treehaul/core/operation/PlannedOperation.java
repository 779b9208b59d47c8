// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.entry.TreePath;
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

    /** Returns whether the operation takes entries away. */
    public boolean removes() {
        return operation.removes();
    }

    /** Returns whether the operation changes the trees, so that its changes have to reach the disk. */
    public boolean writes() {
        return repetition != Repetition.READ_ONLY;
    }

    /**
     * Performs the operation on an entry or a directory of a plan.
     *
     * @param access file access for the calling thread, over the {@linkplain #checked checked} calls
     * @return false if the entry is not the planned one, and was left alone
     * @throws SystemCallException if a call fails; ECANCELED if the operation may no longer begin
     */
    public boolean perform(FileAccess access, Planned entry) throws SystemCallException {
        try {
            FileStatus status = access.status(entry.directory(), entry.name());
            if (!isPlanned(entry.planned(), status)) {
                return false;
            }
            if (!mayBegin.getAsBoolean()) {
                throw new SystemCallException("begin", Errno.ECANCELED);
            }
            OperationTarget target = new OperationTarget(access.calls(), entry.directory(), entry.name(), status,
                    entry.root(), entry.path());
            if (status.kind() == EntryKind.DIRECTORY) {
                operation.directory(target);
            } else {
                operation.entry(target);
            }
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT && operation.removes()) {
                return true;
            }
            throw e;
        }
    }

    private boolean isPlanned(Identity planned, FileStatus status) {
        return switch (repetition) {
            case COMPARED_WITH_PLAN -> planned.isThatOf(status) && devices.agree(planned.device(), status.device());
            case IDEMPOTENT, READ_ONLY -> EntryKind.isKnown(status.mode()) && status.kind() == planned.kind();
        };
    }
}
