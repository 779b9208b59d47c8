// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import org.treehaul.core.entry.Amounts;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/** Sums that become a {@link Usage}. Not safe for several threads. */
final class UsageSums {

    private long entries;
    private long apparentBytes;
    private long blocks;

    void add(FileStatus status) {
        add(status.kind(), status.size(), status.blocks());
    }

    void add(EntryKind kind, long size, long itsBlocks) {
        entries++;
        blocks = Amounts.sum(blocks, itsBlocks);
        apparentBytes = Amounts.sum(apparentBytes, kind == EntryKind.REGULAR || kind == EntryKind.SYMLINK ? size : 0);
    }

    void addFiles(int number, long size, long theirBlocks) {
        entries += number;
        apparentBytes = Amounts.sum(apparentBytes, size);
        blocks = Amounts.sum(blocks, theirBlocks);
    }

    void add(UsageSums other) {
        entries += other.entries;
        apparentBytes = Amounts.sum(apparentBytes, other.apparentBytes);
        blocks = Amounts.sum(blocks, other.blocks);
    }

    Usage toUsage() {
        return new Usage(entries, apparentBytes, Amounts.bytesOfBlocks(blocks));
    }
}
