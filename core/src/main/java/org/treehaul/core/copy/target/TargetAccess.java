// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import org.treehaul.core.copy.data.FileSystemPairs;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;

/**
 * The rules and tools with which one thread creates entries at the destination. Not safe for several threads.
 *
 * @param files makes the system calls
 * @param placer gives new files their names
 * @param collisions prevents one copy from replacing another whose name differs only in case
 * @param existing decides how to handle an existing entry
 * @param backups keeps the files that are replaced
 * @param confirmation asks the user before an entry is replaced
 */
public record TargetAccess(FileAccess files, Placer placer, NameCollisions collisions, ExistingTarget existing,
        Backups backups, Confirmation confirmation) {

    /** Returns the tools for one thread. */
    public static TargetAccess of(CopyOptions options, TargetRoots roots, FileSystemPairs fileSystems,
            TemporaryNames temporaries, Confirmation confirmation, FileAccess files) {
        Placer placer = new Placer(fileSystems, temporaries, files);
        return new TargetAccess(files, placer, new NameCollisions(roots, files), new ExistingTarget(options, files),
                new Backups(options, roots, files, placer), confirmation);
    }

    /** Returns the status of an open file or directory of the destination. */
    public FileStatus status(int descriptor) throws TargetException {
        try {
            return files.status(descriptor);
        } catch (SystemCallException e) {
            throw new TargetException(e);
        }
    }
}
