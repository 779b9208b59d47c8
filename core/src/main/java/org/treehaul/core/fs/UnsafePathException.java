// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;

/** Thrown when another user could change or replace a file or directory, so that its content is not trusted. */
public final class UnsafePathException extends IOException {

    private static final long serialVersionUID = 1;

    /** Creates the exception; the message names the path and the remedy. */
    public UnsafePathException(String message) {
        super(message);
    }
}
