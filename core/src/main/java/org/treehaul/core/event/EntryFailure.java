// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.util.Arrays;

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

    /** Returns a root joined with a path below it, printable. */
    public static String display(ByteString root, TreePath path) {
        return ByteString.escape(join(root, path));
    }

    /** Returns root and path joined, byte-exact. */
    public byte[] fullPath() {
        return join(root, path);
    }

    /** Returns a root joined with a path below it, byte-exact. */
    public static byte[] fullPath(ByteString root, TreePath path) {
        return join(root, path);
    }

    private static byte[] join(ByteString root, TreePath path) {
        byte[] head = root.toBytes();
        byte[] tail = path.toBytes();
        if (tail.length == 0) {
            return head;
        }
        boolean needsSlash = head.length > 0 && head[head.length - 1] != '/';
        byte[] whole = Arrays.copyOf(head, head.length + (needsSlash ? 1 : 0) + tail.length);
        if (needsSlash) {
            whole[head.length] = '/';
        }
        System.arraycopy(tail, 0, whole, whole.length - tail.length, tail.length);
        return whole;
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
        return display(root, path) + ": " + what + cause;
    }
}
