// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Set;

import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.ProcessStatus;

/**
 * Decides which owners and groups this process can give to an entry. Others are no reason to change the entry, or every
 * run of an ordinary user would try it again.
 *
 * @param mayChown whether it may give entries to any user and group
 * @param groups its own groups, to which it may give its entries
 */
record Owners(boolean mayChown, Set<Long> groups) {

    private static final int CAP_CHOWN = 0; // linux/capability.h

    /** Copies the groups. */
    Owners {
        groups = Set.copyOf(groups);
    }

    /**
     * Returns what this process can do.
     *
     * @throws UncheckedIOException if /proc is not mounted
     */
    static Owners ofThisProcess() {
        try {
            return new Owners(ProcessStatus.read().hasCapability(CAP_CHOWN), ProcessStatus.groups());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes differences that this process cannot remove from the entry. */
    void retain(Set<DifferenceKind> differing, FileStatus source, FileStatus target) {
        if (mayChown) {
            return;
        }
        differing.remove(DifferenceKind.OWNER);
        if (!groups.contains(source.gid())) {
            differing.remove(DifferenceKind.GROUP);
        }
        boolean isLost = source.uid() != target.uid() || source.gid() != target.gid();
        boolean isOnlySetId = ((source.permissions() ^ target.permissions()) & 01777) == 0;
        if (isLost && isOnlySetId) {
            // A copy that does not get the owner or the group does not get the set-id bits either.
            differing.remove(DifferenceKind.MODE);
        }
    }
}
