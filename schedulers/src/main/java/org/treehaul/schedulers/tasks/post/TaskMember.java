// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.TaskContext;
import org.treehaul.schedulers.tasks.TaskInfo;

/** A task of a group in its process. */
public final class TaskMember extends Member implements TaskContext {

    // Each answer to a query has the texts of all tasks.
    private static final int LONGEST_DETAIL = 300;

    private final TaskPlace place;
    private volatile boolean isKilled;

    /** The end of a task. */
    public interface Ending {
        /** Records the end of the task. */
        void end(int task, TaskInfo.State state, String detail);
    }

    /**
     * Creates a task.
     *
     * @param tasks the number of tasks in the group
     */
    public TaskMember(Post post, String group, TaskPlace place, int tasks) {
        super(post, group, place.index(), tasks);
        this.place = place;
    }

    @Override
    public Segment segment() {
        return place.segment();
    }

    @Override
    public int instance() {
        return place.instance();
    }

    @Override
    public boolean isKilled() {
        return isKilled;
    }

    /** Records that the task was killed. */
    void killed() {
        isKilled = true;
    }

    /** Runs the program, and reports its end. */
    void run(GroupTask program, Ending ending) {
        try {
            program.run(this);
            ending.end(index(), TaskInfo.State.DONE, "");
        } catch (Exception | Error e) {
            failed(e, ending);
        }
    }

    /** Reports the failure of the task. */
    void failed(Throwable failure, Ending ending) {
        String text = ByteString.printable(text(failure));
        ending.end(index(), TaskInfo.State.FAILED, text.substring(0, Math.min(text.length(), LONGEST_DETAIL)));
    }

    // An exception of a program may fail to describe itself; its task has ended nevertheless.
    private static String text(Throwable failure) {
        try {
            return failure.toString();
        } catch (RuntimeException | StackOverflowError e) {
            return failure.getClass().getName();
        }
    }
}
