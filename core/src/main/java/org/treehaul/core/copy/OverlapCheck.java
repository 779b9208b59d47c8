// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.options.Symlinks;

/** Detects copies that would read the data they write, by device and inode. */
final class OverlapCheck {

    private final PathStatus paths;
    private final CopyOptions options;
    private final boolean makesParents;
    private final Map<ByteString, List<FileStatus>> ancestors = new HashMap<>();

    OverlapCheck(PathStatus paths, CopyOptions options, boolean makesParents) {
        this.paths = paths;
        this.options = options;
        this.makesParents = makesParents;
    }

    boolean exists(ByteString path) {
        try {
            return paths.find(path, false).isPresent();
        } catch (SystemCallException e) {
            return false;
        }
    }

    /** Refuses a source that is its own target, or a directory that contains its target. */
    void check(ByteString source, FileStatus status, ByteString target) throws CopyRefusedException {
        try {
            Optional<FileStatus> link = paths.find(target, false);
            Optional<FileStatus> file = followed(target);
            if (isSameFile(source, status, target, link, file)) {
                throw new CopyRefusedException("'" + source + "' and '" + target + "' are the same file");
            }
            if (status.kind() == EntryKind.DIRECTORY) {
                boolean isDirectory = file.isPresent() && file.get().kind() == EntryKind.DIRECTORY;
                checkAncestors(source, status, target, isDirectory ? target : parent(target));
            } else if (link.isEmpty()) {
                ancestors(parent(target));
            }
        } catch (SystemCallException e) {
            throw new CopyRefusedException("the destination '" + target + "': " + paths.describe(target, e), e);
        }
    }

    private boolean isSameFile(ByteString source, FileStatus status, ByteString target, Optional<FileStatus> link,
            Optional<FileStatus> file) throws SystemCallException {
        boolean isDirectory = status.kind() == EntryKind.DIRECTORY;
        if (link.isEmpty() || options.existing() == CopyOptions.Existing.SKIP && !isDirectory) {
            return false;
        }
        if (options.form() == CopyOptions.Form.HARD_LINK && !isDirectory) {
            // The link exists already.
            return false;
        }
        if (options.backup().isMade() && !isDirectory) {
            // As same_file_ok: another name is backed up, unless the source is a link that would then lead nowhere.
            boolean isLinkToIt = options.symlinks() != Symlinks.NEVER && link.get().kind() != EntryKind.SYMLINK
                    && paths.of(source, false).kind() == EntryKind.SYMLINK;
            return link.get().isSameFile(status) && (isLinkToIt || isSameName(source, target));
        }
        if (status.kind() == EntryKind.SYMLINK) {
            // As same_file_ok: a link may replace another link, but not the file to which it leads.
            return link.get().kind() == EntryKind.SYMLINK
                    ? link.get().isSameFile(status) && isSameName(source, target)
                    : followed(source).filter(link.get()::isSameFile).isPresent();
        }
        // As copy_internal: the data of a regular file are written to the target of a link at the destination, unless it
        // is moved.
        boolean isWrittenTo = status.kind() == EntryKind.REGULAR && options.form() == CopyOptions.Form.COPY
                && !options.takesNames();
        Optional<FileStatus> written = isWrittenTo ? file : link;
        return written.isPresent() && written.get().isSameFile(status)
                && !isUnlinkedFirst(source, status, target, link);
    }

    // A link that leads nowhere, or to itself, is not a file that could be overwritten.
    private Optional<FileStatus> followed(ByteString path) {
        try {
            return paths.find(path, true);
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }

    // If directories on the way are created, the nearest existing one is used in their place.
    private ByteString parent(ByteString target) {
        ByteString parent = UserPath.parent(target);
        while (makesParents && !exists(parent) && !parent.equals(UserPath.parent(parent))) {
            parent = UserPath.parent(parent);
        }
        return parent;
    }

    // As same_file_ok: with --remove-destination a link to the source is unlinked before the source is read. A hard
    // link must have another name than the source.
    private boolean isUnlinkedFirst(ByteString source, FileStatus status, ByteString target, Optional<FileStatus> link)
            throws SystemCallException {
        if (!options.removeDestination() || status.kind() == EntryKind.DIRECTORY || link.isEmpty()) {
            return false;
        }
        if (link.get().kind() == EntryKind.SYMLINK) {
            return !isSameName(source, target);
        }
        return link.get().linkCount() > 1 && paths.of(source, false).isSameFile(link.get())
                && !isSameName(source, target);
    }

    private boolean isSameName(ByteString a, ByteString b) throws SystemCallException {
        return UserPath.baseName(a).equals(UserPath.baseName(b))
                && paths.of(UserPath.parent(a), true).isSameFile(paths.of(UserPath.parent(b), true));
    }

    private void checkAncestors(ByteString source, FileStatus status, ByteString target, ByteString directory)
            throws CopyRefusedException {
        for (FileStatus ancestor : ancestors(directory)) {
            if (ancestor.isSameFile(status)) {
                throw new CopyRefusedException(
                        "cannot copy the directory '" + source + "' into itself, '" + target + "'");
            }
        }
    }

    private List<FileStatus> ancestors(ByteString directory) throws CopyRefusedException {
        List<FileStatus> known = ancestors.get(directory);
        if (known == null) {
            try {
                known = paths.withAncestors(directory);
            } catch (SystemCallException e) {
                throw new CopyRefusedException("the directory '" + directory + "' to copy into"
                        + (e.errno() == Errno.ENOENT
                                ? " " + UserPath.remedyIfMissing(directory)
                                : ": " + paths.describe(directory, e)),
                        e);
            }
            ancestors.put(directory, known);
        }
        return known;
    }
}
