// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Paths of this host, byte for byte: Java's own text of them depends on the locale. */
final class LocalPath {

    private LocalPath() {}

    /**
     * Returns the place of an entry.
     *
     * @param follows whether the target of a symbolic link is meant
     */
    static StagedPair.Place.Local place(FileAccess access, ByteString path, boolean follows)
            throws SystemCallException {
        FileStatus status = LongPath.status(access, path, follows || UserPath.endsWithSlash(path));
        if (status.kind() == EntryKind.DIRECTORY) {
            return new StagedPair.Place.Local(path, TreePath.root());
        }
        ByteString found = follows ? real(access, path) : path;
        return new StagedPair.Place.Local(UserPath.parent(found),
                TreePath.root().child(UserPath.baseName(found).toBytes()));
    }

    // Without symbolic links.
    private static ByteString real(FileAccess access, ByteString path) throws SystemCallException {
        int descriptor = LongPath.open(access, path, LinuxConstants.O_PATH);
        try {
            return access.linkTarget(LinuxConstants.AT_FDCWD,
                    access.name(ByteString.of("/proc/self/fd/" + descriptor).toBytes()));
        } finally {
            access.closeQuietly(descriptor);
        }
    }
}
