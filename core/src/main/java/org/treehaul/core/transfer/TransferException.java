// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;

/** Says what is wrong with a state directory or with what is in it, and what to do about it. */
public class TransferException extends IOException {

    private static final long serialVersionUID = 1;

    /** Makes an exception. */
    public TransferException(String message) {
        super(message);
    }

    /** Makes an exception with the cause of it. */
    public TransferException(String message, Throwable cause) {
        super(message, cause);
    }
}
