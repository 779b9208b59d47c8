// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.attributes;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationTarget;

/**
 * Changes an attribute of entries that differ. The entry is opened without following a link and must be the one that
 * was examined; the change goes to the open file, so that a name exchanged in between leads it nowhere else.
 */
@Internal
public final class AttributeSetting implements EntryOperation {

    private final AttributeChange change;

    /** Creates an operation; one instance serves all threads of a process. */
    public AttributeSetting(AttributeChange change) {
        this.change = change;
    }

    @Override
    public void entry(OperationTarget target) throws SystemCallException {
        set(target, false, true);
    }

    @Override
    public void directory(OperationTarget target) throws SystemCallException {
        set(target, false, true);
    }

    @Override
    public boolean isDone(FileStatus status) {
        return !change.isNeeded(status);
    }

    /**
     * Changes an entry if it differs.
     *
     * @param follow whether a symbolic link is followed: one that the user named, and whose target was examined
     * @return whether a call changed it
     * @throws SystemCallException ESTALE if another entry has its name now; it was not changed
     */
    boolean set(OperationTarget target, boolean follow) throws SystemCallException {
        return set(target, follow, false);
    }

    // With isPlanned, a mode or an owner that was set since the comparison with the plan is not undone.
    private boolean set(OperationTarget target, boolean follow, boolean isPlanned) throws SystemCallException {
        if (!change.isNeeded(target.status())) {
            return false;
        }
        try (OpenNode node = OpenNode.open(target.calls(), target.directory(), target.name(), follow)) {
            FileStatus status = node.status();
            if (!status.isSameFile(target.status())) {
                throw new SystemCallException("open", Errno.ESTALE);
            }
            boolean isNeeded = change.isNeeded(status);
            if (isNeeded && isPlanned && !Identity.Rights.of(target.status()).areThoseOf(status)) {
                throw new SystemCallException("compare with the plan", Errno.ESTALE);
            }
            if (isNeeded) {
                change.make(node, status);
            }
            return isNeeded;
        }
    }
}
