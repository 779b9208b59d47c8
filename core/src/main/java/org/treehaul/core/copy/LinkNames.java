// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.walk.WalkWorker;

/**
 * Turns the names of files that have several into links, or says that one is to be copied because it leads. Used by one
 * thread.
 *
 * <p>
 * A name that waits holds its directory. Who takes it out of the group owes the group a leader: it joins again, or
 * calls {@link #wakeNext} when it comes to nothing before that. So no name waits for a leader that never comes.
 */
final class LinkNames {

    /** What became of a name. */
    enum Joined {
        /** The caller copies it, and says how that ended. */
        LEADS,
        /** It is done: linked, or passed over. */
        DONE,
        /** It is done later, by whoever ends the leader's copy. */
        WAITS
    }

    private static final String SEPARATE = "some hard links are separate files in the copy: "
            + "the destination allows no more links";

    private final CopyRun run;
    private final WalkWorker<TargetDirectory> worker;
    private final LinkMaker maker;

    LinkNames(CopyRun run, WalkWorker<TargetDirectory> worker, LinkMaker maker) {
        this.run = run;
        this.worker = worker;
        this.maker = maker;
    }

    /** Joins a group with a name. When it throws, the name is not linked, and leads nothing. */
    Joined join(HardLinks.Group group, CopyTask task, FileStatus status, int targetDirectory,
            MemorySegment nameAtTarget) throws TargetException {
        // Held before it joins: another thread may finish the leader, and this name with it, at any moment from then on.
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
        return leader == null // another thread has found it full
                ? join(group, task, status, targetDirectory, nameAtTarget)
                : link(leader, group, task, status, targetDirectory, nameAtTarget);
    }

    private Joined link(HardLinks.Place leader, HardLinks.Group group, CopyTask task, FileStatus status,
            int targetDirectory, MemorySegment nameAtTarget) throws TargetException {
        switch (maker.link(leader, task, status, targetDirectory, nameAtTarget)) {
            case DONE, REPLACED -> run.done("link", task, status, true);
            case SKIPPED -> run.skipped(task);
            case IMPOSSIBLE -> {
                run.notice(SEPARATE);
                return Joined.LEADS;
            }
            case LOST -> {
                run.notice("some hard links are separate files in the copy: somebody replaced the file they were to"
                        + " lead to");
                group.noMoreLinks(leader);
                return join(group, task, status, targetDirectory, nameAtTarget);
            }
            case FULL -> {
                run.notice(SEPARATE);
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
     * Says that the copy of a leader stands, and has the names that waited for it linked.
     *
     * @param made its status
     */
    void succeeded(HardLinks.@Nullable Group group, CopyTask leader, FileStatus made) {
        if (group != null) {
            HardLinks.Place place = HardLinks.Place.of(leader.target(), leader.targetName(), made);
            for (HardLinks.Waiting name : group.succeeded(place)) {
                wake(name, group);
            }
        }
    }

    /** Says that a leader comes to nothing that could be linked to. */
    void failed(HardLinks.@Nullable Group group) {
        if (group != null) {
            group.failed();
            wakeNext(group);
        }
    }

    /** Has one that waits do what the caller, which led or was to lead, does not do. */
    void wakeNext(HardLinks.@Nullable Group group) {
        if (group != null) {
            group.next().ifPresent(name -> wake(name, group));
        }
    }

    // What it waited for may have been copied by another rank than the one that found it: it goes on where it is woken.
    private void wake(HardLinks.Waiting name, HardLinks.Group group) {
        again(name.task(), group, 0);
        worker.release(name.task().sourceDirectory(), name.holder());
    }

    /**
     * Has an entry copied by any thread as if it had just been found.
     *
     * @param wokenFor the group that waits for what becomes of it
     * @param tries how often it was tried
     */
    void again(CopyTask task, HardLinks.@Nullable Group wokenFor, int tries) {
        worker.fork(task.sourceDirectory(), w -> ((CopyHandler) w.handler()).copyAgain(task, wokenFor, tries));
    }
}
