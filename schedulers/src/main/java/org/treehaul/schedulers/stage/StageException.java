// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.io.IOException;

import org.treehaul.core.fs.Errno;

/** A failed operation on a stage: the subject, the operation and the error number. */
public final class StageException extends IOException {

    private static final long serialVersionUID = 1L;

    private final String subject;
    private final String operation;
    private final int errno;

    /**
     * Creates the exception for a failed operation.
     *
     * @param subject the file, segment or server, in printable form
     * @param operation the name of the system call, or a few words for the operation
     * @param errno the error number of Linux ({@link Errno}), or 0 if no call failed
     */
    public StageException(String subject, String operation, int errno) {
        super(subject + ": " + operation + (errno == 0 ? "" : ": " + Errno.describe(errno)));
        this.subject = subject;
        this.operation = operation;
        this.errno = errno;
    }

    /** Creates the exception for a failed operation with the failure that caused it. */
    public StageException(String subject, String operation, int errno, Throwable cause) {
        this(subject, operation, errno);
        initCause(cause);
    }

    /** Returns the file, segment or server. */
    public String subject() {
        return subject;
    }

    /** Returns the name of the system call, or a few words for the operation. */
    public String operation() {
        return operation;
    }

    /** Returns the error number of Linux, or 0 if no call failed. */
    public int errno() {
        return errno;
    }

    /** Returns the same failure of a subject that the user knows, such as a path in place of a segment. */
    public StageException of(String other) {
        return new StageException(other + " (" + subject + ")", operation, errno, this);
    }
}
