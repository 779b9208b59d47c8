// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.files;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.schedulers.stage.StagedFile;

/**
 * The entries of a stage as statx(2) would describe them: with the id of a file in the place of its inode, one link,
 * one time, and all of a file's data allocated.
 */
final class Statuses {

    private static final long BLOCK = 512;
    private static final int IMPLIED_MODE = 0755;
    private static final long DEVICES = 0x7374_0000L;

    private Statuses() {}

    static FileStatus of(StagedFile entry) {
        long size = entry.target() == null ? entry.size() : entry.target().length();
        return of(entry.kind().typeBits() | entry.mode(), entry.owner(), entry.group(),
                entry.id().getLeastSignificantBits() ^ entry.id().getMostSignificantBits(), device(entry.stage()), size,
                entry.mtimeSeconds(), entry.mtimeNanos(), 1);
    }

    /**
     * Returns the status of a directory of which the stage knows only that there are entries below it: without links.
     */
    static FileStatus implied(String stage, ByteString path) {
        return of(EntryKind.DIRECTORY.typeBits() | IMPLIED_MODE, 0, 0, path.hashCode(), device(stage), 0, 0, 0, 0);
    }

    private static FileStatus of(int mode, long owner, long group, long inode, long device, long size, long seconds,
            int nanos, long links) {
        return new FileStatus(mode, owner, group, links, inode, device, 0, size, (size + BLOCK - 1) / BLOCK, seconds,
                nanos, seconds, nanos, seconds, nanos, false, 0, 0);
    }

    /** Returns a number that no device of a machine has: major numbers have 12 bits where they are given out. */
    static long device(String stage) {
        return DEVICES << Integer.SIZE | stage.hashCode() & 0xFFFF_FFFFL;
    }

    /** Returns whether this is the status of an entry of a stage. */
    static boolean isOfStage(FileStatus status) {
        return status.device() >>> Integer.SIZE == DEVICES;
    }
}
