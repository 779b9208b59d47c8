// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.io.Serial;

/**
 * A copy that was refused before anything was written. The message names what is in the way and what to do, printable.
 */
public final class CopyRefusedException extends Exception {

    @Serial
    private static final long serialVersionUID = 1L;

    /** Refuses. */
    public CopyRefusedException(String message) {
        super(message);
    }

    CopyRefusedException(String message, Throwable cause) {
        super(message, cause);
    }
}
