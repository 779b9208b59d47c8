// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Moves sources within a file system. Not safe for several threads. */
final class Renaming {

    /** The result for a source. */
    enum Result {
        RENAMED,
        /** The existing entry at the target was kept, according to the options or to the user. */
        SKIPPED,
        /** The target is on another file system; nothing was changed. */
        OTHER_FILE_SYSTEM,
        /** The target is on another file system; the existing entry has the name of its backup. */
        OTHER_AND_BACKED_UP
    }

    private final CopyOptions options;
    private final FileAccess access;
    private final Set<ByteString> allowed = ConcurrentHashMap.newKeySet();
    private final MovedNames moved;
    private final Map<CopyPair, TargetBackup> backups = new LinkedHashMap<>();

    Renaming(CopyOptions options, FileAccess access) {
        this.options = options;
        this.access = access;
        this.moved = new MovedNames(access);
    }

    /**
     * Moves a source if both are on one file system. If this throws, nothing was changed, except that an existing entry
     * may have the name of its backup if the message says so.
     */
    Result rename(CopyPair pair) throws SystemCallException {
        try (LongPath from = LongPath.of(access, UserPath.stripSlashes(pair.source().path()));
                LongPath to = LongPath.of(access, UserPath.stripSlashes(pair.target()))) {
            MemorySegment source = access.name(from.rest());
            MemorySegment target = access.otherName(to.rest());
            FileStatus status = access.status(from.base(), source);
            if (UserPath.endsWithSlash(pair.source().path()) && status.kind() != EntryKind.DIRECTORY) {
                throw new SystemCallException("rename", Errno.ENOTDIR);
            }
            FileStatus existing = access.find(to.base(), target, false);
            boolean isKept = options.existing() != CopyOptions.Existing.REPLACE || options.confirmation().isPresent();
            if (existing != null && isKept && !isUnfinished(pair, existing) && !mayReplace(pair, status, existing)) {
                return Result.SKIPPED;
            }
            if (!options.backup().isMade()) {
                if (existing != null) {
                    checkReplaceable(pair.target(), status, existing);
                }
                return rename(pair, from, to, existing == null && isKept);
            }
            boolean wasBackedUp = UnfinishedMove.isMarked(access, pair);
            if (wasBackedUp || existing == null) {
                Result result = rename(pair, from, to, existing == null && isKept);
                return result == Result.OTHER_FILE_SYSTEM && wasBackedUp ? Result.OTHER_AND_BACKED_UP : result;
            }
            TargetBackup backup = TargetBackup.make(access, options.backup(), pair, existing, status);
            try {
                Result result = rename(pair, from, to, false);
                if (result == Result.OTHER_FILE_SYSTEM) {
                    backups.put(pair, backup);
                    return Result.OTHER_AND_BACKED_UP;
                }
                return result;
            } catch (SystemCallException e) {
                backup.undo();
                throw e;
            }
        }
    }

    /** Returns the backups that were made of targets on other file systems. */
    Map<CopyPair, TargetBackup> backups() {
        return backups;
    }

    private void checkReplaceable(ByteString target, FileStatus source, FileStatus existing)
            throws SystemCallException {
        if (existing.isSameFile(source) && source.linkCount() > 1) {
            // rename(2) does nothing then, and reports no error. Only the case of a single name can differ.
            throw new SystemCallException("rename to '" + target + "', which is the same file", Errno.EINVAL);
        }
        moved.check(target);
    }

    /**
     * Checks a target of a pair that must be copied, after the others were renamed.
     *
     * @throws SystemCallException EEXIST if the copy would replace a source that was renamed
     */
    void checkCopied(CopyPair pair) throws SystemCallException {
        ByteString target = UserPath.stripSlashes(pair.target());
        if (LongPath.find(access, target, false) != null) {
            moved.check(target);
        }
    }

    /**
     * Returns what {@link #rename} would do, as far as the numbers of the devices show it, and does nothing. Asks no
     * question.
     */
    Result preview(CopyPair pair) throws SystemCallException {
        ByteString target = UserPath.stripSlashes(pair.target());
        try (LongPath from = LongPath.of(access, UserPath.stripSlashes(pair.source().path()));
                LongPath above = LongPath.of(access, UserPath.parent(target))) {
            FileStatus status = access.status(from.base(), access.name(from.rest()));
            if (UserPath.endsWithSlash(pair.source().path()) && status.kind() != EntryKind.DIRECTORY) {
                throw new SystemCallException("rename", Errno.ENOTDIR);
            }
            FileStatus directory = access.followedStatus(above.base(), access.otherName(above.rest()));
            FileStatus existing = LongPath.find(access, target, false);
            if (existing != null && !isUnfinished(pair, existing) && isKept(status, existing)) {
                return Result.SKIPPED;
            }
            return status.device() == directory.device() ? Result.RENAMED : Result.OTHER_FILE_SYSTEM;
        }
    }

    private boolean isKept(FileStatus source, FileStatus existing) {
        return switch (options.existing()) {
            case SKIP -> true;
            // The time of a directory says nothing about its content.
            case UPDATE -> source.kind() != EntryKind.DIRECTORY && source.mtime().compareTo(existing.mtime()) <= 0;
            case REPLACE -> false;
        };
    }

    private Result rename(CopyPair pair, LongPath from, LongPath to, boolean mustBeNew) throws SystemCallException {
        MemorySegment source = access.name(from.rest());
        MemorySegment target = access.otherName(to.rest());
        int result = mustBeNew
                ? access.renameNew(from.base(), source, to.base(), target)
                : access.calls().renameat2(from.base(), source, to.base(), target, 0);
        if (result == -Errno.EEXIST && mustBeNew && options.existing() == CopyOptions.Existing.SKIP) {
            return Result.SKIPPED;
        }
        if (result == -Errno.EXDEV) {
            return Result.OTHER_FILE_SYSTEM;
        }
        // The cause is often at the target, and the failure names the source, which stays.
        FileAccess.check("rename to '" + pair.target() + "'", result);
        moved.add(pair.target());
        return Result.RENAMED;
    }

    // An earlier move made such a directory, and this one moves the rest into it.
    private boolean isUnfinished(CopyPair pair, FileStatus existing) {
        return existing.kind() == EntryKind.DIRECTORY && UnfinishedMove.is(access, pair.source().path(), pair.target());
    }

    private boolean mayReplace(CopyPair pair, FileStatus source, FileStatus existing) {
        return !isKept(source, existing)
                && options.confirmation().map(question -> isAllowed(question, pair.target())).orElse(true);
    }

    private boolean isAllowed(Predicate<ByteString> question, ByteString target) {
        boolean isAllowed = question.test(target);
        if (isAllowed) {
            allowed.add(target);
        }
        return isAllowed;
    }

    /**
     * Returns the options of the copy to another file system, which does not ask again what was answered here, and
     * makes no backup of what was backed up here.
     */
    CopyOptions ofCopy() {
        CopyOptions copying = options.toBuilder().backup(Backup.none()).build();
        return copying.confirmation()
                .map(question -> copying.toBuilder()
                        .confirmation(target -> allowed.remove(target) || question.test(target))
                        .build())
                .orElse(copying);
    }
}
