// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** The copy was cancelled while a large file was in hand: the file is withdrawn, which is no failure of its own. */
final class WithdrawnException extends Exception {

    private static final long serialVersionUID = 1L;

    WithdrawnException() {
        super(null, null, false, false);
    }
}
