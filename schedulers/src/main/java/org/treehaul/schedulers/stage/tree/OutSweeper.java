// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * Removes temporary files and symbolic links that a killed run has left in a directory. The files of runs that are
 * alive are locked, and stay; a link has no lock, and such a run makes it again. For one thread.
 */
final class OutSweeper {

    /** The beginning of the names of temporary files. */
    static final String PREFIX = ".treehaul-stage-";

    private static final int LENGTH = PREFIX.length() + 36;

    private final FileAccess access;

    OutSweeper(FileAccess access) {
        this.access = access;
    }

    /** Sweeps an open directory. Files that cannot be removed stay: they do not prevent the copy. */
    void sweep(int directory) {
        try {
            for (byte[] name : left(directory)) {
                int file = access.tryOpen(directory, access.name(name), O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
                if (file == -Errno.ELOOP) {
                    access.calls().unlinkat(directory, access.name(name), 0);
                } else if (file >= 0) {
                    if (access.calls().ofdLock(file, F_WRLCK) == 0) {
                        access.calls().unlinkat(directory, access.name(name), 0);
                    }
                    access.closeQuietly(file);
                }
            }
        } catch (SystemCallException e) {
            // A directory that may not be listed.
            return;
        }
    }

    private List<byte[]> left(int directory) throws SystemCallException {
        List<byte[]> names = new ArrayList<>();
        int listing = access.openDirectory(directory, access.name(new byte[]{'.'}));
        try {
            DirectoryRecords.forEach(access, listing, access.buffer(), (records, at) -> {
                if (DirectoryRecords.nameLength(records, at) == LENGTH) {
                    byte[] name = DirectoryRecords.nameBytes(records, at);
                    if (new String(name, StandardCharsets.ISO_8859_1).startsWith(PREFIX)) {
                        names.add(name);
                    }
                }
            });
        } finally {
            access.closeQuietly(listing);
        }
        return names;
    }
}
