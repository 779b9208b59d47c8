// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;

/** Sums that become a {@link Usage}. Not safe for several threads. */
final class UsageSums {

    private long entries;
    private long apparentBytes;
    private long blocks;

    void add(FileStatus status) {
        entries++;
        blocks += status.blocks();
        EntryKind kind = status.kind();
        apparentBytes += kind == EntryKind.REGULAR || kind == EntryKind.SYMLINK ? status.size() : 0;
    }

    void add(UsageSums other) {
        entries += other.entries;
        apparentBytes += other.apparentBytes;
        blocks += other.blocks;
    }

    Usage toUsage() {
        return new Usage(entries, apparentBytes, blocks * 512);
    }
}
