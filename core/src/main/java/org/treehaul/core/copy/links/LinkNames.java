// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.links;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.failure.TargetException;
import org.treehaul.core.copy.outcome.OutcomeCounter;
import org.treehaul.core.copy.target.CopyTask;
import org.treehaul.core.copy.target.TargetDirectory;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.WalkWorker;

/**
 * Turns the names of files with several names into links, or reports that a name must be copied because it leads. Not
 * safe for several threads.
 *
 * <p>
 * A waiting name holds its directory. A thread that takes a name out of the group must provide a leader: the name joins
 * again, or the thread calls {@link #wakeNext} if the name fails before that. Therefore no name waits for a leader that
 * never comes.
 */
public final class LinkNames {

    /** The result of joining. */
    public enum Joined {
        /** The caller copies the name and reports the result. */
        LEADS,
        /** The name is done: linked or skipped. */
        DONE,
        /** The thread that finishes the leader's copy continues with this name. */
        WAITS
    }

    /** One thread of a copy, as seen by a name that waited. */
    public interface Copier {
        /**
         * Copies an entry that waited or is tried again.
         *
         * @param wokenFor the group to which the entry owes a wake-up: see {@link LinkNames#again}
         * @param tries the number of earlier attempts
         */
        void copyAgain(CopyTask task, HardLinks.@Nullable Group wokenFor, int tries);
    }

    private static final String SEPARATE = "some hard links are separate files in the copy: "
            + "the destination allows no more links";

    private final OutcomeCounter outcomes;
    private final WalkWorker<TargetDirectory> worker;
    private final LinkMaker maker;

    public LinkNames(OutcomeCounter outcomes, WalkWorker<TargetDirectory> worker, LinkMaker maker) {
        this.outcomes = outcomes;
        this.worker = worker;
        this.maker = maker;
    }

    /**
     * Reports an entry that an earlier copy has, as the leader of a group too.
     *
     * @param led the group that it leads, null for none
     * @param operation the operation by which it was taken, as events name it
     */
    public void taken(EarlierCopies.Taken taken, String operation, CopyTask task, FileStatus status,
            HardLinks.@Nullable Group led) {
        if (taken.link() == null) {
            outcomes.skipped(task);
            failed(led);
        } else {
            outcomes.done(operation, task, status, true);
            succeeded(led, task, taken.link());
        }
    }

    /** Adds a name to a group. If this throws, the name is not linked and leads nothing. */
    public Joined join(HardLinks.Group group, CopyTask task, FileStatus status, int targetDirectory,
            MemorySegment nameAtTarget) throws TargetException {
        // Held before it joins: from then on, another thread may finish the leader, and this name with it, at any
        // moment.
        worker.hold(task.sourceDirectory());
        HardLinks.Part part = group.join(task, worker);
        if (part == HardLinks.Part.WAIT) {
            return Joined.WAITS;
        }
        worker.release(task.sourceDirectory());
        if (part == HardLinks.Part.LEAD) {
            return Joined.LEADS;
        }
        HardLinks.Place leader = group.leader().orElse(null);
        return leader == null // another thread has found that it can have no more links
                ? join(group, task, status, targetDirectory, nameAtTarget)
                : link(leader, group, task, status, targetDirectory, nameAtTarget);
    }

    private Joined link(HardLinks.Place leader, HardLinks.Group group, CopyTask task, FileStatus status,
            int targetDirectory, MemorySegment nameAtTarget) throws TargetException {
        switch (maker.link(leader, task, status, targetDirectory, nameAtTarget)) {
            case DONE, PRESENT, REPLACED -> outcomes.done("link", task, status, true);
            case SKIPPED -> outcomes.skipped(task);
            case IMPOSSIBLE -> {
                outcomes.notice(SEPARATE);
                return Joined.LEADS;
            }
            case LOST -> {
                outcomes.notice("some hard links are separate files in the copy: another process replaced the file to"
                        + " link to");
                group.noMoreLinks(leader);
                return join(group, task, status, targetDirectory, nameAtTarget);
            }
            case FULL -> {
                outcomes.notice(SEPARATE);
                group.noMoreLinks(leader);
                return join(group, task, status, targetDirectory, nameAtTarget);
            }
            case THROUGH -> {
                return Joined.LEADS;
            }
        }
        group.nameDone();
        return Joined.DONE;
    }

    /**
     * Registers a leader's finished copy, and links the names that waited for it.
     *
     * @param made the status of the copy
     */
    public void succeeded(HardLinks.@Nullable Group group, CopyTask leader, FileStatus made) {
        if (group != null) {
            HardLinks.Place place = HardLinks.Place.of(leader.target(), leader.targetName(), made);
            for (HardLinks.Waiting name : group.succeeded(place)) {
                wake(name, group);
            }
        }
    }

    /** Reports that a leader's copy cannot be linked to. */
    public void failed(HardLinks.@Nullable Group group) {
        if (group != null) {
            group.failed();
            wakeNext(group);
        }
    }

    /** Promotes the next waiting name to leader, because the caller gives up. */
    public void wakeNext(HardLinks.@Nullable Group group) {
        if (group != null) {
            group.next().ifPresent(name -> wake(name, group));
        }
    }

    // The leader may have been copied by a rank other than the one that found the name; the rank that wakes the name
    // copies it.
    private void wake(HardLinks.Waiting name, HardLinks.Group group) {
        again(name.task(), group, 0);
        worker.release(name.task().sourceDirectory(), name.holder());
    }

    /**
     * Queues an entry, which any thread then copies as if the walk had just found it.
     *
     * @param wokenFor the group that depends on its result
     * @param tries the number of earlier attempts
     */
    public void again(CopyTask task, HardLinks.@Nullable Group wokenFor, int tries) {
        worker.fork(task.sourceDirectory(), w -> ((Copier) w.handler()).copyAgain(task, wokenFor, tries));
    }
}
