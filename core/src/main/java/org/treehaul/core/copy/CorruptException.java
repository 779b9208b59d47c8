// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** What was read back is not what was written. */
final class CorruptException extends Exception {

    private static final long serialVersionUID = 1L;

    CorruptException() {
        super(null, null, false, false);
    }
}
