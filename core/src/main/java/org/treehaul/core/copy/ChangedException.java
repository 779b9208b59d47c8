// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** Thrown when the source is another file, or has another size or time, than a moment before. */
final class ChangedException extends Exception {

    private static final long serialVersionUID = 1L;

    ChangedException() {
        this("read");
    }

    private ChangedException(String what) {
        super(what, null, false, false);
    }

    /** Returns the exception for a source that is no longer a regular file. */
    static ChangedException ofKind() {
        return new ChangedException("is no regular file any more");
    }
}
