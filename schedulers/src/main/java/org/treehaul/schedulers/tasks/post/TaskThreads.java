// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import org.treehaul.schedulers.tasks.GroupTask;

/** The threads of the tasks in this process. Safe for any number of threads. */
public final class TaskThreads {

    /**
     * A task in its thread.
     *
     * @param member the task
     * @param thread its thread
     * @param ending records its end
     */
    private record Running(TaskMember member, Thread thread, TaskMember.Ending ending) {}

    private final boolean isVirtual;
    private final Consumer<Thread> starter;
    private final Map<Integer, Running> tasks = new TreeMap<>();

    /** Creates threads of one kind. */
    public TaskThreads(boolean isVirtual) {
        this(isVirtual, Thread::start);
    }

    TaskThreads(boolean isVirtual, Consumer<Thread> starter) {
        this.isVirtual = isVirtual;
        this.starter = starter;
    }

    /** Adds a task, which does not run yet. */
    public synchronized void add(TaskMember member, GroupTask program, TaskMember.Ending ending) {
        Thread.Builder builder = isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon(true);
        tasks.put(member.index(), new Running(member,
                builder.name("treehaul-task-" + member.index()).unstarted(() -> member.run(program, ending)), ending));
    }

    /** Starts all tasks that were not killed before. One whose thread cannot be started has failed. */
    public void start() {
        Map<Running, Error> failed = new LinkedHashMap<>();
        synchronized (this) {
            for (Running task : tasks.values()) {
                if (!task.member.isKilled()) {
                    try {
                        starter.accept(task.thread);
                    } catch (OutOfMemoryError e) {
                        // The limit of threads is reached (ulimit -u).
                        failed.put(task, e);
                    }
                }
            }
        }
        failed.forEach((task, error) -> task.member.failed(error, task.ending));
    }

    /** Interrupts the thread of a task, if it is here. */
    public synchronized void kill(int index) {
        Running task = tasks.get(index);
        if (task != null) {
            task.member.killed();
            task.thread.interrupt();
        }
    }

    /** Interrupts all threads. */
    public synchronized void killAll() {
        tasks.keySet().forEach(this::kill);
    }

    /**
     * Waits until the threads have ended.
     *
     * @return the numbers of the tasks whose threads still run after the time
     */
    public List<Integer> join(Duration timeout) throws InterruptedException {
        List<Running> all;
        synchronized (this) {
            all = List.copyOf(tasks.values());
        }
        long end = System.nanoTime() + Hub.nanos(timeout);
        List<Integer> late = new ArrayList<>();
        for (Running task : all) {
            // An unstarted thread never runs.
            if (task.thread.getState() != Thread.State.NEW && !task.thread.equals(Thread.currentThread())
                    && !task.thread.join(Duration.ofNanos(Math.max(1, end - System.nanoTime())))) {
                late.add(task.member.index());
            }
        }
        return late;
    }
}
