// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

/** Thrown when the source is another file, or has another size or time, than a moment before. */
public final class ChangedException extends Exception {

    private static final long serialVersionUID = 1L;

    public ChangedException() {
        this("read");
    }

    private ChangedException(String what) {
        super(what, null, false, false);
    }

    /** Returns the exception for a source that is no longer a regular file. */
    public static ChangedException ofKind() {
        return new ChangedException("is no longer a regular file");
    }
}
