// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** A call that failed at the destination, where a bare {@link SystemCallException} is one at the source. */
final class TargetException extends Exception {

    private static final long serialVersionUID = 1L;

    private static final String MOUNT_POINT = "replace a mount point (unmount it, or write to it by --in-place)";

    private final SystemCallException call;

    TargetException(SystemCallException call) {
        super(null, call, false, false);
        this.call = call;
    }

    TargetException(String operation, int errno) {
        this(new SystemCallException(operation, errno));
    }

    SystemCallException call() {
        return call;
    }

    /** Does what {@link #check} does, after a call that takes a name from what has it: what is mounted on keeps it. */
    static void checkTaken(String operation, int result) throws TargetException {
        check(result == -Errno.EBUSY ? MOUNT_POINT : operation, result);
    }

    /** Throws when the result of a call at the destination is an error. */
    static int check(String operation, int result) throws TargetException {
        if (result < 0) {
            throw new TargetException(operation, -result);
        }
        return result;
    }
}
