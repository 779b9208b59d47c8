// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;

import org.treehaul.core.annotation.Api;

/**
 * A failed system call, with its name and errno. It contains no path; the code that catches it knows the entry.
 *
 * <p>
 * It has no stack trace: 10^8 entries of a tree may fail one by one, and their paths distinguish them.
 */
@Api
public final class SystemCallException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String operation;
    private final int errno;

    /**
     * Creates the exception for a failed call.
     *
     * @param operation name of the system call
     * @param errno the positive error number
     */
    public SystemCallException(String operation, int errno) {
        super(null, null);
        this.operation = operation;
        this.errno = errno;
    }

    /** Returns the name of the system call that failed. */
    public String operation() {
        return operation;
    }

    /** Returns the error number, greater than zero. */
    public int errno() {
        return errno;
    }

    @Override
    public String getMessage() {
        return operation + ": " + Errno.describe(errno);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
