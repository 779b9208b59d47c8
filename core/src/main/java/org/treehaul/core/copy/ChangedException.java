// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** The source was another file, or of another size or time, than it was a moment before. */
final class ChangedException extends Exception {

    private static final long serialVersionUID = 1L;

    ChangedException() {
        super(null, null, false, false);
    }
}
