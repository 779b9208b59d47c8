// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.O_DIRECTORY;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.copy.target.BackupNames;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Reads the status of paths of any length that the user gave. Not safe for several threads. */
final class PathStatus {

    private final FileAccess access;
    private final Progress progress;

    /**
     * Creates a reader.
     *
     * @param progress shows the path that is read, because its mount may hang
     */
    PathStatus(FileAccess access, Progress progress) {
        this.access = access;
        this.progress = progress;
    }

    /** Returns the status of a path: of a symbolic link itself, or of its target. */
    FileStatus of(ByteString path, boolean follow) throws SystemCallException {
        progress.setBusy(() -> List.of(path.toString()));
        return LongPath.status(access, path, follow);
    }

    /** Returns the status of a path; empty if it does not exist. */
    Optional<FileStatus> find(ByteString path, boolean follow) throws SystemCallException {
        progress.setBusy(() -> List.of(path.toString()));
        return Optional.ofNullable(LongPath.find(access, path, follow));
    }

    /** Returns the text of a failure to look up a path, with the remedy if a directory may not be searched. */
    String describe(ByteString path, SystemCallException failure) {
        return ClosedDirectory.describe(access, path, failure);
    }

    /** Returns the path of the backup for the file with this path. */
    ByteString backup(Backup backup, ByteString path) throws SystemCallException {
        ByteString parent = UserPath.parent(path);
        int directory = LongPath.open(access, parent, O_DIRECTORY);
        try {
            return UserPath.join(parent, BackupNames.of(backup, access, directory, UserPath.baseName(path)));
        } finally {
            access.closeQuietly(directory);
        }
    }

    /** Returns the status of a directory and of all its parents up to the root. */
    List<FileStatus> withAncestors(ByteString directory) throws SystemCallException {
        List<FileStatus> found = new ArrayList<>();
        LongPath.withParents(access, directory, found::add);
        return found;
    }
}
