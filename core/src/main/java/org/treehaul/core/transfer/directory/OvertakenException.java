// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import org.treehaul.core.annotation.Api;

/**
 * Another command has resumed, cancelled or forgotten the transfer, whose current state is the result of that command.
 */
@Api
public final class OvertakenException extends TransferException {

    private static final long serialVersionUID = 1;

    /** Creates an exception. */
    public OvertakenException(String message) {
        super(message);
    }
}
