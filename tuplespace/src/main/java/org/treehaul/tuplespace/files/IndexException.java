// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.io.IOException;
import java.io.Serial;

/** An index cannot be made or used. The message says what is wrong and what to do, printable. */
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
