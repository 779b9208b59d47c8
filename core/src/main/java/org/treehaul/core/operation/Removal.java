// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * Removes entries by unlinkat(2), after comparing each with its planned identity. POSIX has no call that compares and
 * removes in one step, so a name that is exchanged between the two calls is still removed. Thread-safe.
 */
public final class Removal implements EntryOperation {

    private final DeviceNumbers devices = new DeviceNumbers();

    /** Creates an operation; one instance serves all threads of a process. */
    public Removal() {}

    @Override
    public Outcome entry(OperationTarget target) throws SystemCallException {
        return remove(target, 0, "unlink");
    }

    @Override
    public Outcome directory(OperationTarget target) throws SystemCallException {
        return remove(target, AT_REMOVEDIR, "rmdir");
    }

    private Outcome remove(OperationTarget target, int flags, String operation) throws SystemCallException {
        Identity planned = target.planned();
        FileAccess access = target.access();
        try {
            FileStatus status = access.status(target.directory(), target.name());
            if (!planned.isThatOf(status) || !devices.agree(planned.device(), status.device())) {
                return Outcome.CHANGED;
            }
            FileAccess.check(operation, access.calls().unlinkat(target.directory(), target.name(), flags));
            return Outcome.DONE;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return Outcome.ABSENT;
            }
            throw e;
        }
    }
}
