// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.event;

import java.util.Arrays;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;

/**
 * What went wrong with one entry. The rest of the tree goes on.
 *
 * @param kind what sort of failure it is; exit codes depend on it
 * @param root the root as the user named it: of the source, or of the destination when the call failed there
 * @param path where the entry stands below that root
 * @param operation the system call that failed, or a word for the check that did ({@code verify})
 * @param errno the error number, or 0 where no call failed
 */
public record EntryFailure(Kind kind, ByteString root, TreePath path, String operation, int errno) {

    /** The sorts of failure. */
    public enum Kind {
        /** The entry could not be done. */
        ERROR,
        /** The entry was in its directory's listing but gone when it was opened. */
        VANISHED,
        /**
         * The entry changed while it was read, or since it was copied: a copy was tried twice and not kept, a
         * comparison means nothing.
         */
        CHANGED,
        /** What was read back, at once or later, is not what was written. */
        CORRUPT
    }

    /** Returns the failure of a call on an entry. */
    public static EntryFailure of(ByteString root, TreePath path, SystemCallException cause) {
        return new EntryFailure(Kind.ERROR, root, path, cause.operation(), cause.errno());
    }

    /** Returns this failure as one of another kind. */
    public EntryFailure as(Kind otherKind) {
        return new EntryFailure(otherKind, root, path, operation, errno);
    }

    /** Returns a root and a path below it joined, printable. */
    public static String display(ByteString root, TreePath path) {
        return ByteString.escape(join(root, path));
    }

    /** Returns root and path joined, byte-exact. */
    public byte[] fullPath() {
        return join(root, path);
    }

    /** Returns a root and a path below it joined, byte-exact. */
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

    /** Returns the failure as a line for people: path, operation and cause, printable. */
    @Override
    public String toString() {
        String what = switch (kind) {
            case ERROR -> "";
            case VANISHED -> "vanished: ";
            case CHANGED -> "changed meanwhile: ";
            case CORRUPT -> "reads back differently: ";
        };
        String cause = errno == 0 ? operation : operation + ": " + Errno.describe(errno);
        return display(root, path) + ": " + what + cause;
    }
}
