// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

/**
 * Another command has resumed, cancelled or forgotten the transfer, whose current state is the result of that command.
 */
public final class OvertakenException extends TransferException {

    private static final long serialVersionUID = 1;

    /** Creates an exception. */
    public OvertakenException(String message) {
        super(message);
    }
}
