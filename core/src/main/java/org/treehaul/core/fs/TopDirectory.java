// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;

import java.util.Optional;

import org.treehaul.core.entry.FileStatus;

/** The directory {@code /}, which commands on trees refuse. */
public final class TopDirectory {

    private TopDirectory() {}

    /** Returns its status; empty if it cannot be read. */
    public static Optional<FileStatus> status(FileSystemCalls calls) {
        try (FileAccess access = FileAccess.open(calls)) {
            return Optional.of(access.status(AT_FDCWD, access.rootName(new byte[]{'/'})));
        } catch (SystemCallException e) {
            return Optional.empty();
        }
    }
}
