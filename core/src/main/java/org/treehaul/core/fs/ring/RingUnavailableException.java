// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.ring;

import org.treehaul.core.fs.Errno;

/** The kernel provides no ring. The message says why, in words that complete "io_uring cannot be used: ". */
public final class RingUnavailableException extends Exception {

    private static final long serialVersionUID = 1L;

    private final int errno;

    RingUnavailableException(String message) {
        super(message);
        this.errno = 0;
    }

    /** Creates the exception for a failed call. */
    public RingUnavailableException(String operation, int errno) {
        super(operation + ": " + Errno.describe(errno) + reason(errno));
        this.errno = errno;
    }

    /** Returns the error number, or 0 if no call failed. */
    public int errno() {
        return errno;
    }

    private static String reason(int errno) {
        return switch (errno) {
            case Errno.EPERM, Errno.EACCES ->
                "; the setting kernel.io_uring_disabled or the seccomp profile of a container forbids it";
            case Errno.ENOSYS -> "; this kernel has no io_uring, or a seccomp profile hides it";
            case Errno.ENOMEM -> "; before Linux 5.12 the limit on locked memory (ulimit -l) applies";
            default -> "";
        };
    }
}
