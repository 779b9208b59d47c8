// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

import java.io.IOException;

/** This program does not have an operation of another jar, or has another version of it. */
public final class UnknownOperationException extends IOException {

    private static final long serialVersionUID = 1;

    UnknownOperationException(String message, Throwable cause) {
        super(message, cause);
    }

    UnknownOperationException(String message) {
        super(message);
    }
}
