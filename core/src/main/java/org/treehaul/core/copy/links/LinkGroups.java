// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.links;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.entry.FileStatus;

/**
 * The groups of names that depend on one entry while it is copied: the one that it leads, and the one whose next name
 * must be woken if the entry does not join it. Not safe for several threads.
 */
public final class LinkGroups {

    private final LinkNames links;
    private HardLinks.@Nullable Group owed;
    private HardLinks.@Nullable Group led;

    /**
     * Creates the groups of an entry.
     *
     * @param wokenFor the group whose waiting names depend on the entry until it joins a group
     */
    public LinkGroups(LinkNames links, HardLinks.@Nullable Group wokenFor) {
        this.links = links;
        this.owed = wokenFor;
    }

    /** Prepares for another attempt, in which the name may belong to another file, in another group or in none. */
    public void resign() {
        if (led != null) {
            led.resigned();
            owed = led;
            led = null;
        }
    }

    /**
     * Adds the entry to the group of its file.
     *
     * @return whether the entry is to be copied, and leads the group
     */
    public boolean join(HardLinks.Group group, CopyTask task, FileStatus status, int targetDirectory,
            MemorySegment nameAtTarget) throws TargetException {
        LinkNames.Joined joined = links.join(group, task, status, targetDirectory, nameAtTarget);
        if (owed != group) {
            links.wakeNext(owed);
        }
        owed = null;
        if (joined != LinkNames.Joined.LEADS) {
            return false;
        }
        led = group;
        return true;
    }

    /** Returns the group that the entry leads. */
    public HardLinks.@Nullable Group led() {
        return led;
    }

    /** Wakes the next name of the group that the entry did not join. Called after the last attempt. */
    public void wakeNext() {
        links.wakeNext(owed);
        owed = null;
    }
}
