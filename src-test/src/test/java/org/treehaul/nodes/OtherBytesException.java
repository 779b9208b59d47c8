// SPDX-License-Identifier: Apache-2.0
package org.treehaul.nodes;

import java.io.IOException;

/** A file that was read does not have the bytes that were written. */
final class OtherBytesException extends IOException {

    private static final long serialVersionUID = 1;

    OtherBytesException(String message) {
        super(message);
    }
}
