// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.io.Serial;

/** Thrown where a failure of an entry ends the whole work. */
public final class EntryFailedException extends RuntimeException {

    @Serial
    private static final long serialVersionUID = 1L;

    private final transient EntryFailure failure;

    /** Creates the exception; its message is the {@linkplain EntryFailure#toString() text} of the failure. */
    public EntryFailedException(EntryFailure failure) {
        super(failure.toString());
        this.failure = failure;
    }

    /** Returns the failure. */
    public EntryFailure failure() {
        return failure;
    }
}
