// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * The failure of one entry. The work on the rest of the tree continues.
 *
 * @param kind the kind of failure, which determines the exit code
 * @param root the root as the user gave it: of the source, or of the destination if the call failed there
 * @param path path of the entry below that root
 * @param operation the failed system call, or a word for the failed check ({@code verify})
 * @param errno the error number, or 0 if no call failed
 */
public record EntryFailure(Kind kind, ByteString root, TreePath path, String operation, int errno) {

    /** The kinds of failure. */
    public enum Kind {
        /** The entry could not be processed. */
        ERROR,
        /** The entry was in its directory's listing but gone when it was opened. */
        VANISHED,
        /**
         * The entry changed while it was read, or after it was copied: a copy was tried twice and not kept; the result
         * of a comparison is not valid.
         */
        CHANGED,
        /** The data that were read back, at once or later, differ from the data that were written. */
        CORRUPT
    }

    /** Returns the failure of a call on an entry. */
    public static EntryFailure of(ByteString root, TreePath path, SystemCallException cause) {
        return new EntryFailure(Kind.ERROR, root, path, cause.operation(), cause.errno());
    }

    /** Returns the same failure with another kind. */
    public EntryFailure as(Kind otherKind) {
        return new EntryFailure(otherKind, root, path, operation, errno);
    }

    /** Returns root and path joined. */
    public ByteString fullPath() {
        return path.below(root);
    }

    /** Returns the failure as one line for users: path, operation and cause, printable. */
    @Override
    public String toString() {
        String what = switch (kind) {
            case ERROR -> "";
            case VANISHED -> "vanished: ";
            case CHANGED -> "changed concurrently: ";
            case CORRUPT -> "reads back differently: ";
        };
        String cause = errno == 0 ? operation : operation + ": " + Errno.describe(errno);
        return fullPath() + ": " + what + cause;
    }
}
