// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** Thrown when a call at the destination fails; a bare {@link SystemCallException} is for the source. */
public final class TargetException extends Exception {

    private static final long serialVersionUID = 1L;

    private static final String MOUNT_POINT = "replace a mount point (unmount it, or write to it with --in-place)";

    private final SystemCallException call;

    public TargetException(SystemCallException call) {
        super(null, call, false, false);
        this.call = call;
    }

    public TargetException(String operation, int errno) {
        this(new SystemCallException(operation, errno));
    }

    public SystemCallException call() {
        return call;
    }

    /**
     * Does the same as {@link #check} after a call that takes a name away from an existing entry, which is impossible
     * for a mount point.
     */
    public static void checkTaken(String operation, int result) throws TargetException {
        check(result == -Errno.EBUSY ? MOUNT_POINT : operation, result);
    }

    /** Throws if the result of a call at the destination is an error. */
    public static int check(String operation, int result) throws TargetException {
        if (result < 0) {
            throw new TargetException(operation, -result);
        }
        return result;
    }
}
