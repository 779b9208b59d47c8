// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.IOException;

import org.treehaul.core.annotation.Internal;

/** This program does not have a task of another jar, or has another version of it. */
@Internal
public final class UnknownTaskException extends IOException {

    private static final long serialVersionUID = 1;

    UnknownTaskException(String message, Throwable cause) {
        super(message, cause);
    }

    UnknownTaskException(String message) {
        super(message);
    }
}
