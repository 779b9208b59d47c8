// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.DirectoryRecords;

/**
 * Removes the temporaries that an earlier run of the same command left in a directory when it was killed. One that is
 * locked belongs to a run that lives, and stays. Used by one thread.
 */
final class TemporarySweeper {

    private final CopyRun run;
    private final FileAccess access;

    TemporarySweeper(CopyRun run, FileAccess access) {
        this.run = run;
        this.access = access;
    }

    /** Sweeps one directory. What cannot be removed is left and named in a notice. */
    void sweep(Directory directory) throws SystemCallException {
        int descriptor = directory.acquire(access);
        try {
            // A listing of its own: the shared descriptor's position belongs to nobody here, as targets are never listed.
            for (byte[] name : temporaries(descriptor)) {
                remove(descriptor, name);
            }
        } finally {
            directory.release();
        }
    }

    private List<byte[]> temporaries(int descriptor) throws SystemCallException {
        List<byte[]> names = new ArrayList<>();
        MemorySegment records = access.buffer();
        int length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, records));
        while (length > 0) {
            for (int at = 0; at < length; at += DirectoryRecords.length(records, at)) {
                int nameLength = DirectoryRecords.nameLength(records, at);
                if (nameLength > TemporaryNames.LEAST_LENGTH) {
                    byte[] name = DirectoryRecords.name(records, at, nameLength)
                            .asSlice(0, nameLength)
                            .toArray(ValueLayout.JAVA_BYTE);
                    if (run.temporaries().isOurs(name)) {
                        names.add(name);
                    }
                }
            }
            length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, records));
        }
        return names;
    }

    private void remove(int directory, byte[] name) throws SystemCallException {
        MemorySegment temporary = access.name(name);
        if (access.status(directory, temporary).kind() == EntryKind.REGULAR) {
            int file = access.tryOpen(directory, temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            if (file >= 0) {
                int locked = access.calls().ofdLock(file, F_WRLCK);
                if (locked == 0) {
                    access.calls().unlinkat(directory, temporary, 0);
                }
                access.closeQuietly(file);
                return;
            }
        }
        // A link that was to take a name, or a file of a mode that even its owner cannot open: not locked by anybody.
        access.calls().unlinkat(directory, temporary, 0);
    }
}
