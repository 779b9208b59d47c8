// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import org.treehaul.core.annotation.Api;

/** Another version of this program made the transfer, and this version does not know its format or its operation. */
@Api
public final class OtherVersionException extends TransferException {

    private static final long serialVersionUID = 1;

    OtherVersionException(String message) {
        super(message);
    }
}
