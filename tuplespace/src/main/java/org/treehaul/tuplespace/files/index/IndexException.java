// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.IOException;
import java.io.Serial;

/** Failure to build or use an index. The printable message names the problem and the remedy. */
public final class IndexException extends IOException {

    @Serial
    private static final long serialVersionUID = 1L;

    IndexException(String message) {
        super(message);
    }

    IndexException(String message, Throwable cause) {
        super(message, cause);
    }
}
