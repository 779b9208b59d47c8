// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** Thrown when data read back differ from the data written. */
final class CorruptException extends Exception {

    private static final long serialVersionUID = 1L;

    CorruptException() {
        super(null, null, false, false);
    }
}
