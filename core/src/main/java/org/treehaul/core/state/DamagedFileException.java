// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.state;

import java.io.IOException;

/** A state file has a wrong checksum or an impossible size; the message names the file. */
public final class DamagedFileException extends IOException {

    private static final long serialVersionUID = 1;

    /** Creates an exception. */
    public DamagedFileException(String message) {
        super(message);
    }
}
