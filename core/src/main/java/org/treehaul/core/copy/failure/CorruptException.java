// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.failure;

import org.treehaul.core.copy.options.CopyOptions;

/** Thrown when data read back differ from the data written, or from the source of a file that was kept. */
public final class CorruptException extends Exception {

    private static final long serialVersionUID = 1L;

    public CorruptException() {
        this("verify");
    }

    private CorruptException(String what) {
        super(what, null, false, false);
    }

    /**
     * Returns the exception for an existing file that an option keeps.
     *
     * @param existing the option
     */
    public static CorruptException ofKept(CopyOptions.Existing existing) {
        return new CorruptException(switch (existing) {
            case UPDATE -> "kept by -u; a copy without -u replaces it";
            case SKIP -> "kept by -n; a copy without -n replaces it";
            case REPLACE -> "kept by the answer to -i";
        });
    }
}
