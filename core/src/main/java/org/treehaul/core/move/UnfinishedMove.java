// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.util.HexFormat;
import java.util.Optional;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/**
 * The mark of a directory that is being moved to a new name on another file system: an empty file beside it, with a
 * name made from the inode of the source and the new name. If the same move is repeated after a kill, the mark shows
 * that the existing directory is the unfinished target, and not one to move into.
 */
final class UnfinishedMove {

    private static final String PREFIX = ".treehaul-mv-";

    private UnfinishedMove() {}

    /** Marks a target if it is a new directory; returns the path of the mark, also of an existing one. */
    static Optional<ByteString> begin(FileAccess access, CopyPair pair) throws SystemCallException {
        Optional<ByteString> mark = mark(access, pair.source().path(), pair.target());
        if (mark.isPresent() && !exists(access, pair.target())) {
            try (LongPath path = LongPath.of(access, mark.get())) {
                access.close(
                        access.open(path.base(), access.rootName(path.rest()), O_CREAT | O_WRONLY | O_NOFOLLOW, 0600));
            }
        }
        return mark;
    }

    /** Removes a mark, if there is one. */
    static void end(FileAccess access, ByteString mark) throws SystemCallException {
        try (LongPath path = LongPath.of(access, mark)) {
            int result = access.calls().unlinkat(path.base(), access.rootName(path.rest()), 0);
            if (result != -Errno.ENOENT) {
                FileAccess.check("unlink", result);
            }
        }
    }

    /** Returns whether a directory is the unfinished target of a source. */
    static boolean is(FileAccess access, ByteString source, ByteString target) {
        try {
            Optional<ByteString> mark = mark(access, source, target);
            return mark.isPresent() && exists(access, mark.get());
        } catch (SystemCallException e) {
            return false;
        }
    }

    private static Optional<ByteString> mark(FileAccess access, ByteString source, ByteString target)
            throws SystemCallException {
        try (LongPath path = LongPath.of(access, UserPath.stripSlashes(source))) {
            FileStatus status = access.status(path.base(), access.rootName(path.rest()));
            return status.kind() == EntryKind.DIRECTORY
                    ? Optional.of(markOf(target, status.inode()))
                    : Optional.empty();
        }
    }

    private static ByteString markOf(ByteString target, long inode) {
        String name = PREFIX + HexFormat.of().toHexDigits(inode) + "-"
                + HexFormat.of().toHexDigits(UserPath.baseName(target).hashCode());
        return UserPath.join(UserPath.parent(target), ByteString.of(name));
    }

    private static boolean exists(FileAccess access, ByteString place) throws SystemCallException {
        try (LongPath path = LongPath.of(access, UserPath.stripSlashes(place))) {
            access.status(path.base(), access.rootName(path.rest()));
            return true;
        } catch (SystemCallException e) {
            if (e.errno() == Errno.ENOENT) {
                return false;
            }
            throw e;
        }
    }
}
