// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/** Thrown when an entry cannot be compared, because of a failed call or a change on one side. */
final class SideException extends Exception {

    private static final long serialVersionUID = 1L;

    private final Side side;
    private final EntryFailure.Kind kind;
    private final String operation;
    private final int errno;

    private SideException(Side side, EntryFailure.Kind kind, String operation, int errno) {
        super(operation, null, false, false);
        this.side = side;
        this.kind = kind;
        this.operation = operation;
        this.errno = errno;
    }

    /** Creates the exception for a failed call. ENOENT means that the entry vanished, because it was listed before. */
    static SideException of(Side side, SystemCallException cause) {
        boolean gone = cause.errno() == Errno.ENOENT;
        return new SideException(side, gone ? EntryFailure.Kind.VANISHED : EntryFailure.Kind.ERROR, cause.operation(),
                cause.errno());
    }

    /** Creates the exception for an entry that changed after it was first examined. */
    static SideException changed(Side side, String check) {
        return new SideException(side, EntryFailure.Kind.CHANGED, check, 0);
    }

    Side side() {
        return side;
    }

    EntryFailure.Kind kind() {
        return kind;
    }

    String operation() {
        return operation;
    }

    int errno() {
        return errno;
    }
}
