// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.util.HexFormat;
import java.util.Optional;

import org.treehaul.core.annotation.Internal;
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
 * The mark of a target that is being moved to another file system: an empty file beside it, with a name made from the
 * inode and the time of birth of the source, and the new name. A new directory has one: if the same move is repeated
 * after a kill, the mark shows that the existing directory is the unfinished target, and not one to move into. A target
 * that was backed up has one, so that its unfinished copy is not backed up.
 */
@Internal
public final class UnfinishedMove {

    private static final String PREFIX = ".treehaul-mv-";
    // Odd, so that no two times of birth give the same product.
    private static final long SPREAD = 0x9e3779b97f4a7c15L;

    private UnfinishedMove() {}

    /**
     * Marks a target if it is a new directory, or if it was backed up.
     *
     * @return the path of the mark, also of an existing one
     */
    static Optional<ByteString> begin(FileAccess access, CopyPair pair, boolean isBackedUp) throws SystemCallException {
        if (!isBackedUp && source(access, pair.source().path()).kind() != EntryKind.DIRECTORY) {
            return Optional.empty();
        }
        ByteString mark = beside(access, pair, "");
        if (isBackedUp || !exists(access, pair.target())) {
            try (LongPath path = LongPath.of(access, mark)) {
                access.close(
                        access.open(path.base(), access.rootName(path.rest()), O_CREAT | O_WRONLY | O_NOFOLLOW, 0600));
            } catch (SystemCallException e) {
                throw new SystemCallException("create '" + pair.target() + "'", e.errno());
            }
        }
        return Optional.of(mark);
    }

    /** Removes a mark, if there is one. */
    public static void end(FileAccess access, ByteString mark) throws SystemCallException {
        try (LongPath path = LongPath.of(access, mark)) {
            int result = access.calls().unlinkat(path.base(), access.rootName(path.rest()), 0);
            if (result != -Errno.ENOENT) {
                FileAccess.check("unlink", result);
            }
        }
    }

    /** Removes the mark of a target that does not exist. */
    static void withdraw(FileAccess access, CopyPair pair) {
        try {
            if (!exists(access, pair.target())) {
                end(access, beside(access, pair, ""));
            }
        } catch (SystemCallException e) {
            // The mark stays, which does no harm.
        }
    }

    /** Returns whether a directory is the unfinished target of a source. */
    static boolean is(FileAccess access, ByteString source, ByteString target) {
        try {
            FileStatus status = source(access, source);
            return status.kind() == EntryKind.DIRECTORY && exists(access, place(target, status, ""));
        } catch (SystemCallException e) {
            return false;
        }
    }

    /** Returns whether a target has a mark. */
    static boolean isMarked(FileAccess access, CopyPair pair) throws SystemCallException {
        return exists(access, beside(access, pair, ""));
    }

    /** Returns whether the source of a pair exists, or may exist. */
    static boolean hasSource(FileAccess access, CopyPair pair) {
        try {
            return exists(access, pair.source().path());
        } catch (SystemCallException e) {
            return true;
        }
    }

    /** Returns the path of the mark of a pair, whether it exists or not. */
    public static ByteString mark(FileAccess access, CopyPair pair) throws SystemCallException {
        return beside(access, pair, "");
    }

    /** Returns the path of a file beside the target of a pair, with a name that a repeated move finds again. */
    static ByteString beside(FileAccess access, CopyPair pair, String suffix) throws SystemCallException {
        return place(pair.target(), source(access, pair.source().path()), suffix);
    }

    private static FileStatus source(FileAccess access, ByteString source) throws SystemCallException {
        return LongPath.status(access, UserPath.stripSlashes(source), false);
    }

    // Another file may get the inode later, but not the time of birth.
    private static ByteString place(ByteString target, FileStatus source, String suffix) {
        long birth = source.btimeSeconds() * 1_000_000_000 + source.btimeNanos();
        String name = PREFIX + HexFormat.of().toHexDigits(source.inode() ^ birth * SPREAD) + "-"
                + HexFormat.of().toHexDigits(UserPath.baseName(target).hashCode()) + suffix;
        return UserPath.join(UserPath.parent(target), ByteString.of(name));
    }

    private static boolean exists(FileAccess access, ByteString place) throws SystemCallException {
        return LongPath.find(access, UserPath.stripSlashes(place), false) != null;
    }
}
