// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LinuxConstants;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Paths of this host, byte for byte: Java's own text of them depends on the locale. */
final class LocalPath {

    private LocalPath() {}

    /** Returns the absolute path of an entry without symbolic links. */
    static ByteString real(FileAccess access, ByteString path) throws SystemCallException {
        int descriptor = LongPath.open(access, path, LinuxConstants.O_PATH);
        try {
            return access.linkTarget(LinuxConstants.AT_FDCWD,
                    access.name(ByteString.of("/proc/self/fd/" + descriptor).toBytes()));
        } finally {
            access.closeQuietly(descriptor);
        }
    }
}
