// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.node;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.AT_REMOVEDIR;
import static org.treehaul.core.fs.LinuxConstants.F_WRLCK;
import static org.treehaul.core.fs.LinuxConstants.O_CREAT;
import static org.treehaul.core.fs.LinuxConstants.O_EXCL;
import static org.treehaul.core.fs.LinuxConstants.O_NOFOLLOW;
import static org.treehaul.core.fs.LinuxConstants.O_NONBLOCK;
import static org.treehaul.core.fs.LinuxConstants.O_WRONLY;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.state.Host;
import org.treehaul.core.walk.listing.DirectoryRecords;
import org.treehaul.schedulers.stage.SegmentKey;

/**
 * Removes what {@link NodeFiles} of killed processes have left in a directory for temporary files: links to segments,
 * and copies of files. Those of a process that is alive are locked. Files that programs have made beside them stay. For
 * one thread.
 */
final class NodeSweeper {

    /** The beginning of the names of the directories. */
    static final String PREFIX = "treehaul-at-";

    // Held as long as the process that made the directory lives. Without it, the directory belongs to the user.
    // Locks have no effect between hosts on some file systems, so each host sweeps only what is its own.
    private static final byte[] LOCK = (".treehaul-lock-" + Host.nameOr("")).getBytes(StandardCharsets.ISO_8859_1);

    private final FileAccess access;

    NodeSweeper(FileAccess access) {
        this.access = access;
    }

    /**
     * Locks a new directory, or removes it if its lock cannot be made.
     *
     * @return the descriptor that holds the lock; a negative number if another process sweeps the directory, or has
     *         swept it, because it was not locked yet
     */
    int lock(ByteString directory) throws SystemCallException {
        byte[] name = lockOf(directory);
        int file;
        try {
            file = access.open(AT_FDCWD, access.name(name), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0600);
        } catch (SystemCallException e) {
            access.calls().unlinkat(AT_FDCWD, access.name(directory.toBytes()), AT_REMOVEDIR);
            throw e;
        }
        int locked = access.calls().ofdLock(file, F_WRLCK);
        // Where there are no locks, nothing is swept either.
        boolean isLost = locked == -Errno.EAGAIN || locked == -Errno.EACCES;
        try {
            access.status(AT_FDCWD, access.name(name));
        } catch (SystemCallException e) {
            isLost = true;
            if (e.errno() != Errno.ENOENT) {
                access.closeQuietly(file);
                throw e;
            }
        }
        if (isLost) {
            access.closeQuietly(file);
            return -1;
        }
        return file;
    }

    /** Gives a directory up: what is left in it belongs to the user. */
    void unlock(ByteString directory, int lock) throws SystemCallException {
        access.calls().unlinkat(AT_FDCWD, access.name(lockOf(directory)), 0);
        access.closeQuietly(lock);
    }

    private static byte[] lockOf(ByteString directory) {
        return directory.plus(ByteString.of("/")).plus(ByteString.of(LOCK, 0, LOCK.length)).toBytes();
    }

    /** Returns the name of the directory of a copy, by which the copy is known later. */
    static String nameOfCopy(long number, ByteString name) {
        return number + "-" + hash(name.toBytes());
    }

    private static String hash(byte[] name) {
        CRC32C crc = new CRC32C();
        crc.update(name);
        return Long.toHexString(crc.getValue());
    }

    /** Sweeps a directory. An entry that cannot be removed stays: it prevents no work. */
    void sweep(ByteString temporary) {
        try {
            long user = ProcessStatus.read().effectiveUid();
            int parent = access.openDirectory(AT_FDCWD, access.name(temporary.toBytes()));
            try {
                for (byte[] name : names(parent)) {
                    if (new String(name, StandardCharsets.ISO_8859_1).startsWith(PREFIX)) {
                        sweep(parent, name, user);
                    }
                }
            } finally {
                access.closeQuietly(parent);
            }
        } catch (IOException e) {
            // A directory that may not be listed.
            return;
        }
    }

    private void sweep(int parent, byte[] name, long user) throws SystemCallException {
        int directory;
        try {
            directory = access.openDirectory(parent, access.name(name));
        } catch (SystemCallException e) {
            // It is that of another user, or gone.
            return;
        }
        try {
            if (access.status(directory).uid() != user) {
                return;
            }
            int lock = access.tryOpen(directory, access.name(LOCK), O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0);
            if (lock < 0) {
                return;
            }
            try {
                if (access.calls().ofdLock(lock, F_WRLCK) == 0) {
                    for (byte[] each : names(directory)) {
                        empty(directory, each);
                    }
                    access.calls().unlinkat(directory, access.name(LOCK), 0);
                    access.calls().unlinkat(parent, access.name(name), AT_REMOVEDIR);
                }
            } finally {
                access.closeQuietly(lock);
            }
        } finally {
            access.closeQuietly(directory);
        }
    }

    private void empty(int parent, byte[] name) {
        String shown = new String(name, StandardCharsets.ISO_8859_1);
        int directory;
        try {
            directory = access.openDirectory(parent, access.name(name));
        } catch (SystemCallException e) {
            // No directory.
            return;
        }
        try {
            for (byte[] each : names(directory)) {
                if (shown.endsWith("-" + hash(each)) || isLink(directory, each)) {
                    access.calls().unlinkat(directory, access.name(each), 0);
                }
            }
            access.calls().unlinkat(parent, access.name(name), AT_REMOVEDIR);
        } catch (SystemCallException e) {
            // It stays.
            return;
        } finally {
            access.closeQuietly(directory);
        }
    }

    private boolean isLink(int directory, byte[] name) {
        try {
            String target = access.linkTarget(directory, access.name(name)).toString();
            return SegmentKey.parse(target.substring(target.lastIndexOf('/') + 1)).isPresent();
        } catch (SystemCallException e) {
            // No link.
            return false;
        }
    }

    private List<byte[]> names(int directory) throws SystemCallException {
        List<byte[]> names = new ArrayList<>();
        int listing = access.openDirectory(directory, access.name(new byte[]{'.'}));
        try {
            DirectoryRecords.forEach(access, listing, access.buffer(), (records, at) -> {
                byte[] name = DirectoryRecords.nameBytes(records, at);
                if (!List.of(".", "..").contains(new String(name, StandardCharsets.ISO_8859_1))) {
                    names.add(name);
                }
            });
        } finally {
            access.closeQuietly(listing);
        }
        return names;
    }
}
