// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;

import org.treehaul.core.annotation.Api;

/**
 * A failed system call, with its name and errno, or a failed check of an entry. It contains no path; the code that
 * catches it knows the entry.
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
     * Creates the exception for a failed call or check.
     *
     * @param operation name of the system call, or a few words for the check
     * @param errno the error number, or 0 if no call failed
     */
    public SystemCallException(String operation, int errno) {
        super(null, null);
        this.operation = operation;
        this.errno = errno;
    }

    /** Returns the name of the system call that failed, or the words for the check. */
    public String operation() {
        return operation;
    }

    /** Returns the error number, or 0 if no call failed. */
    public int errno() {
        return errno;
    }

    @Override
    public String getMessage() {
        return errno == 0 ? operation : operation + ": " + Errno.describe(errno);
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
