// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

import java.util.function.BooleanSupplier;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** Decides whether the copy of a file that failed is tried again. Safe for any number of threads. */
public final class RetryPolicy {

    private static final int CHANGED_TRIES = 2;
    private static final int PASSING_TRIES = 4;

    private final BooleanSupplier freesDescriptors;

    /**
     * Creates a policy.
     *
     * @param freesDescriptors closes descriptors that are not in use, and returns whether there were any
     */
    public RetryPolicy(BooleanSupplier freesDescriptors) {
        this.freesDescriptors = freesDescriptors;
    }

    /**
     * Returns whether another try may succeed.
     *
     * @param tries the number of tries so far
     */
    public boolean mayRetry(Exception cause, int tries) {
        return switch (cause) {
            case ChangedException e -> tries < CHANGED_TRIES;
            case SystemCallException e -> tries < PASSING_TRIES && isPassing(e);
            case TargetException e -> tries < PASSING_TRIES && (isPassing(e.call()) || isSwept(e.call()));
            default -> false;
        };
    }

    // Servers return these errors while they fail over, and descriptors may become free: the same call may succeed a
    // moment later.
    private boolean isPassing(SystemCallException e) {
        return switch (e.errno()) {
            case Errno.ESTALE, Errno.EAGAIN, Errno.EINTR -> true;
            case Errno.EMFILE, Errno.ENFILE -> freesDescriptors.getAsBoolean();
            default -> false;
        };
    }

    // A second run of the same command may mistake a temporary file, closed a moment before it is renamed, for one of a
    // dead run. An unnamed file that had a temporary name and lost it cannot get another one.
    private static boolean isSwept(SystemCallException e) {
        return e.errno() == Errno.ENOENT && (e.operation().equals("rename") || e.operation().equals("link"));
    }
}
