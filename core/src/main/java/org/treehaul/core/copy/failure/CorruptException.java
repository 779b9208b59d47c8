// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

/** Thrown when data read back differ from the data written. */
public final class CorruptException extends Exception {

    private static final long serialVersionUID = 1L;

    public CorruptException() {
        super(null, null, false, false);
    }
}
