// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;

/** This node does not see the source or the destination that the plan was made for. Nothing was written. */
public final class WrongMountException extends IOException {

    private static final long serialVersionUID = 1;

    /** Creates an exception. */
    public WrongMountException(String message) {
        super(message);
    }
}
