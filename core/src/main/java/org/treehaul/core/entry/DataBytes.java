// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.entry;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.annotation.Internal;

/**
 * Estimates the bytes of a file that must be read from its allocated blocks: holes cost no work. Thread-safe.
 *
 * <p>
 * The size is the upper bound, because blocks are rounded up. A file without blocks is a single hole if another file of
 * the same file system has blocks; otherwise the file system reports none, as some FUSE file systems do, and the size
 * counts. The size also counts for a single unit of 512 bytes: ZFS reports it for a file that was just written, and
 * Lustre for a file that was released to its archive.
 */
@Internal
public final class DataBytes {

    private static final long UNIT = 512;

    private final Set<Long> reporting = ConcurrentHashMap.newKeySet();

    /** Creates an estimate that knows no file system yet. */
    public DataBytes() {}

    /** Records that the file system of a file reports blocks, if this file has any. */
    public void saw(FileStatus status) {
        if (status.blocks() > 0 && status.kind().hasData()) {
            sawBlocks(status.device());
        }
    }

    /** Records that the file system of this device reports blocks: a regular file on it has some. */
    public void sawBlocks(long device) {
        if (!reporting.contains(device)) {
            reporting.add(device);
        }
    }

    /** Returns the bytes to read of a file, 0 to its size; 0 for any other kind of entry. */
    public long of(FileStatus file) {
        return of(file.kind(), file.device(), file.size(), file.blocks());
    }

    /** Returns the same number, from the parts of the status that it depends on. */
    public long of(EntryKind kind, long device, long size, long blocks) {
        if (!kind.hasData()) {
            return 0;
        }
        // Mostly false for a small file, without a look at the file systems.
        boolean isLess = blocks < size / UNIT;
        return isLess && (blocks > 1 || blocks == 0 && reporting.contains(device)) ? blocks * UNIT : size;
    }
}
