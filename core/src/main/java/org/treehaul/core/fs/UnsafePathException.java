// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;

/** A file or directory could be changed or exchanged by another user, so nothing in it is trusted. */
public final class UnsafePathException extends IOException {

    private static final long serialVersionUID = 1;

    /** Makes one; the message names the path and the remedy. */
    public UnsafePathException(String message) {
        super(message);
    }
}
