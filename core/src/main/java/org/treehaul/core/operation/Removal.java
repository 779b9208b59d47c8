// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;

import java.lang.foreign.MemorySegment;
import java.util.Optional;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.Identity;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.DirectoryRecords;

/**
 * Removes entries by unlinkat(2). An entry with a planned identity is compared with it directly before; POSIX has no
 * call that compares and removes in one step, so a name that is exchanged between the two calls is still removed.
 * Thread-safe.
 */
public final class Removal implements EntryOperation {

    private static final int MOST_ROUNDS = 3;

    private final DeviceNumbers devices = new DeviceNumbers();

    /** Creates an operation; one instance serves all threads of a process. */
    public Removal() {}

    @Override
    public Outcome entry(OperationTarget target) throws SystemCallException {
        return remove(target, 0, "unlink");
    }

    @Override
    public Outcome directory(OperationTarget target) throws SystemCallException {
        for (int round = 1;; round++) {
            try {
                return remove(target, AT_REMOVEDIR, "rmdir");
            } catch (SystemCallException e) {
                boolean mayBeSkipped = e.errno() == Errno.ENOTEMPTY || e.errno() == Errno.EEXIST;
                if (!mayBeSkipped || target.planned().isPresent() || round == MOST_ROUNDS || !removeSkipped(target)) {
                    throw e;
                }
            }
        }
    }

    // Some file systems skip names in a listing while others are removed (readdir(3) leaves it open for names added and
    // removed). Returns whether something was removed.
    private static boolean removeSkipped(OperationTarget target) throws SystemCallException {
        FileAccess access = target.access();
        int directory = access.openDirectory(target.directory(), target.name());
        try {
            boolean isRemoved = false;
            MemorySegment records = access.buffer();
            int length = FileAccess.check("getdents64", DirectoryRecords.read(access, directory, records));
            while (length > 0) {
                for (int at = 0; at < length; at += DirectoryRecords.length(records, at)) {
                    MemorySegment name = DirectoryRecords.name(records, at, DirectoryRecords.nameLength(records, at));
                    // A directory, also each of the entries for itself and its parent, refuses with EISDIR.
                    isRemoved |= access.calls().unlinkat(directory, name, 0) == 0;
                }
                length = FileAccess.check("getdents64", DirectoryRecords.read(access, directory, records));
            }
            return isRemoved;
        } finally {
            access.closeQuietly(directory);
        }
    }

    private Outcome remove(OperationTarget target, int flags, String operation) throws SystemCallException {
        Optional<Identity> planned = target.planned();
        FileAccess access = target.access();
        if (planned.isPresent()) {
            FileStatus status;
            try {
                status = access.status(target.directory(), target.name());
            } catch (SystemCallException e) {
                if (e.errno() == Errno.ENOENT) {
                    return Outcome.ABSENT;
                }
                throw e;
            }
            if (!planned.get().isThatOf(status) || !devices.agree(planned.get().device(), status.device())) {
                return Outcome.CHANGED;
            }
        }
        int result = access.calls().unlinkat(target.directory(), target.name(), flags);
        if (result == -Errno.ENOENT && planned.isPresent()) {
            return Outcome.ABSENT;
        }
        FileAccess.check(operation, result);
        return Outcome.DONE;
    }
}
