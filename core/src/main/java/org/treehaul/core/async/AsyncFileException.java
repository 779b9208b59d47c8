// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.io.IOException;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/** A failed operation on a file. */
public final class AsyncFileException extends IOException {

    private static final long serialVersionUID = 1L;

    private final transient ByteString path;
    private final String operation;
    private final int errno;
    private final long bytes;

    /** Creates the exception; the bytes are those that were moved before. */
    public AsyncFileException(ByteString path, String operation, int errno, long bytes) {
        super(path + ": " + operation + ": " + Errno.describe(errno));
        this.path = path;
        this.operation = operation;
        this.errno = errno;
        this.bytes = bytes;
    }

    /** Creates the exception for a failure whose cause says more than the error number. */
    public AsyncFileException(ByteString path, String operation, int errno, long bytes, Exception cause) {
        super(path + ": " + operation + ": " + Errno.describe(errno) + " (" + cause.getMessage() + ")", cause);
        this.path = path;
        this.operation = operation;
        this.errno = errno;
        this.bytes = bytes;
    }

    /** Returns the path of the file, as it was given. */
    public ByteString path() {
        return path;
    }

    /** Returns the name of the operation, such as {@code write}. */
    public String operation() {
        return operation;
    }

    /** Returns the error number of the kernel. */
    public int errno() {
        return errno;
    }

    /** Returns the number of bytes that were read or written, from the beginning of the buffer, before the failure. */
    public long bytes() {
        return bytes;
    }
}
