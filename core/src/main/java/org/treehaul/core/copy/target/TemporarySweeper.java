// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.treehaul.core.fs.Directory;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.listing.DirectoryRecords;

/**
 * Removes temporary files that a killed earlier run of the same command left in a directory. A locked file belongs to a
 * live process, and stays. Not safe for several threads.
 */
public final class TemporarySweeper {

    private final TemporaryNames temporaries;
    private final Consumer<String> notices;
    private final FileAccess access;

    /**
     * Creates a sweeper for one thread.
     *
     * @param temporaries names that this command gives to temporary files
     * @param notices receives messages about files that could not be removed
     */
    public TemporarySweeper(TemporaryNames temporaries, Consumer<String> notices, FileAccess access) {
        this.temporaries = temporaries;
        this.notices = notices;
        this.access = access;
    }

    /**
     * Sweeps one directory. A file that cannot be removed is left and reported in a notice, because it does not prevent
     * the copy.
     */
    public void sweep(Directory directory) {
        sweep(directory, false);
    }

    /** Does the same as {@link #sweep} for a directory that may be missing. */
    public void sweepIfThere(Directory directory) {
        sweep(directory, true);
    }

    private void sweep(Directory directory, boolean mayBeMissing) {
        try {
            int descriptor = directory.acquire(access);
            try {
                for (byte[] name : temporaries(descriptor)) {
                    remove(descriptor, name);
                }
            } finally {
                directory.release();
            }
        } catch (SystemCallException e) {
            // A copy into a directory that may not be listed works; its owner and root can sweep it.
            if (mayBeMissing && e.errno() == Errno.ENOENT || e.errno() == Errno.EACCES) {
                return;
            }
            notices.accept("temporary files of an earlier run may be left in " + directory + ": " + e.getMessage());
        }
    }

    // Opens a descriptor of its own, and closes it before anything is copied: a client may cache a listing while it is
    // open (MooseFS), and then find the replaced file under a name after a rename.
    private List<byte[]> temporaries(int directory) throws SystemCallException {
        int listing = access.openDirectory(directory, FileAccess.DOT);
        try {
            return listed(listing);
        } finally {
            access.closeQuietly(listing);
        }
    }

    private List<byte[]> listed(int descriptor) throws SystemCallException {
        List<byte[]> names = new ArrayList<>();
        // A loop, because most copies need no class for a visitor.
        MemorySegment records = access.buffer();
        int length = FileAccess.check("getdents64", DirectoryRecords.read(access, descriptor, records));
        while (length > 0) {
            for (int at = 0; at < length; at += DirectoryRecords.length(records, at)) {
                if (DirectoryRecords.nameLength(records, at) > TemporaryNames.LEAST_LENGTH) {
                    byte[] name = DirectoryRecords.nameBytes(records, at);
                    if (temporaries.isOurs(name)) {
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
        // A hard link before its rename, or a file that even its owner cannot open, has no lock. If its run is live, it
        // creates the file again.
        int file = access.tryOpen(directory, temporary, O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
        boolean isLocked = file >= 0 && isHeld(access.calls().ofdLock(file, F_WRLCK));
        int removed = isLocked ? 0 : access.calls().unlinkat(directory, temporary, 0);
        if (file >= 0) {
            access.closeQuietly(file);
        }
        if (removed != -Errno.ENOENT) {
            FileAccess.check("unlink", removed);
        }
    }

    // A file system without locks cannot distinguish live and dead runs; then no temporary files are swept there.
    private static boolean isHeld(int locked) {
        return locked != 0;
    }
}
