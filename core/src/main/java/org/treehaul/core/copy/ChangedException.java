// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

/** The source was another file, or of another size or time, than it was a moment before. */
final class ChangedException extends Exception {

    private static final long serialVersionUID = 1L;

    ChangedException() {
        this("read");
    }

    private ChangedException(String what) {
        super(what, null, false, false);
    }

    /** Returns one for a source that something other than a file has taken the place of. */
    static ChangedException ofKind() {
        return new ChangedException("is no regular file any more");
    }
}
