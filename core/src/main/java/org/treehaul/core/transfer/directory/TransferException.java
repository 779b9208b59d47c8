// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;

import org.treehaul.core.annotation.Api;

/** An error of a state directory or its content; the message names the remedy. */
@Api
public class TransferException extends IOException {

    private static final long serialVersionUID = 1;

    /** Creates an exception. */
    public TransferException(String message) {
        super(message);
    }

    /** Creates an exception with its cause. */
    public TransferException(String message, Throwable cause) {
        super(message, cause);
    }
}
