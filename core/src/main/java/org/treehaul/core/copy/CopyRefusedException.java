// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.Serial;

/**
 * Thrown when a copy is refused before anything was written. The message names the obstacle and the remedy, printable.
 */
public final class CopyRefusedException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Creates the exception with its message. */
    public CopyRefusedException(String message) {
        super(message);
    }

    CopyRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
