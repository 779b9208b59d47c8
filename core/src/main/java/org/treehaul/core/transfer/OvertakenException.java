// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

/** Another command has resumed, cancelled or forgotten the transfer meanwhile; what stands there is that one's. */
public final class OvertakenException extends TransferException {

    private static final long serialVersionUID = 1;

    /** Makes an exception. */
    public OvertakenException(String message) {
        super(message);
    }
}
