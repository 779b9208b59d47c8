// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

/** Thrown when the copy is cancelled during a large file: the file is withdrawn, which is not a failure of its own. */
public final class WithdrawnException extends Exception {

    private static final long serialVersionUID = 1L;

    public WithdrawnException() {
        super(null, null, false, false);
    }
}
