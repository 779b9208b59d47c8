// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.group;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Message;
import org.treehaul.schedulers.tasks.Segment;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;
import org.treehaul.schedulers.tasks.post.Hub;
import org.treehaul.schedulers.tasks.post.Member;
import org.treehaul.schedulers.tasks.post.TaskMember;
import org.treehaul.schedulers.tasks.post.TaskPlace;
import org.treehaul.schedulers.tasks.post.TaskThreads;
import org.treehaul.schedulers.tasks.process.GroupProgram;
import org.treehaul.schedulers.tasks.process.TaskProcesses;
import org.treehaul.schedulers.tasks.process.TaskPrograms;

/**
 * A group of tasks at the segments of a file, as its creator sees it. Any thread may call the methods. {@link #free}
 * must be called at the end.
 */
public final class TaskGroup implements GroupMember, AutoCloseable {

    private static final int MOST_TASKS = 10_000;
    private static final int ID_BYTES = 8;

    private final GroupOptions options;
    private final Hub hub;
    private final Member creator;
    private final TaskThreads threads;
    private volatile @Nullable TaskProcesses processes;

    private TaskGroup(List<TaskPlace> places, GroupOptions options) {
        byte[] id = new byte[ID_BYTES];
        new SecureRandom().nextBytes(id);
        this.options = options;
        boolean isHere = options.placement() == GroupOptions.Placement.THREADS;
        List<TaskInfo> tasks = places.stream()
                .map(place -> new TaskInfo(place.index(), place.segment().index(), place.instance(),
                        isHere ? "" : place.host(), TaskInfo.State.RUNNING, ""))
                .toList();
        this.threads = new TaskThreads(options.hasVirtualThreads());
        this.hub = new Hub(tasks, options.mailbox(), this::killed);
        this.creator = new Member(hub, HexFormat.of().formatHex(id), CREATOR, tasks.size());
    }

    /**
     * Starts the tasks of a group. The first task of each segment has the number of the segment; those of the next
     * instance follow.
     *
     * @param program the name of a {@link org.treehaul.schedulers.tasks.TaskProvider}, which is on the class path of
     *        each process
     * @param parameters its parameters
     * @throws IllegalArgumentException if the file has no segments, or there would be more than 10,000 tasks
     * @throws TaskGroupException if the program is not found or refuses its parameters, or a process cannot be started
     *         or does not join; no task has begun, and no process remains
     * @throws InterruptedException if the thread was interrupted; no process remains
     */
    public static TaskGroup spawn(String program, Map<String, String> parameters, SegmentedFile file,
            GroupOptions options) throws TaskGroupException, InterruptedException {
        List<TaskPlace> places = places(file, options);
        SortedMap<String, String> sorted = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
        TaskGroup group = new TaskGroup(places, options);
        if (options.placement() == GroupOptions.Placement.THREADS) {
            group.start(places, TaskPrograms.create(program, sorted, places.size()));
        } else {
            TaskProcesses processes = TaskProcesses.open(group.hub,
                    new GroupProgram(group.group(), places.size(), program, sorted), processes(places, options),
                    options);
            // Before the first task begins, which may kill others.
            group.processes = processes;
            processes.start();
        }
        return group;
    }

    /**
     * Starts tasks in threads of this process.
     *
     * @param program the program, which all tasks share
     * @throws IllegalArgumentException if the file has no segments, there would be more than 10,000 tasks, or the
     *         options ask for processes
     */
    public static TaskGroup spawn(GroupTask program, SegmentedFile file, GroupOptions options) {
        if (options.placement() != GroupOptions.Placement.THREADS) {
            throw new IllegalArgumentException("other processes find a program only by the name of its TaskProvider");
        }
        List<TaskPlace> places = places(file, options);
        TaskGroup group = new TaskGroup(places, options);
        group.start(places, Collections.nCopies(places.size(), program));
        return group;
    }

    private static List<TaskPlace> places(SegmentedFile file, GroupOptions options) {
        List<Segment> segments = List.copyOf(file.segments());
        if (segments.isEmpty() || segments.size() > MOST_TASKS / options.instances()) {
            throw new IllegalArgumentException(options.instances() + " tasks for each of " + segments.size()
                    + " segments; a group has 1 to " + MOST_TASKS);
        }
        List<TaskPlace> places = new ArrayList<>();
        for (int instance = 0; instance < options.instances(); instance++) {
            for (Segment segment : segments) {
                places.add(new TaskPlace(places.size(), instance, segment));
            }
        }
        return places;
    }

    private static List<List<TaskPlace>> processes(List<TaskPlace> places, GroupOptions options) {
        if (options.placement() == GroupOptions.Placement.TASKS) {
            return places.stream().map(List::of).toList();
        }
        Map<String, List<TaskPlace>> byHost = new LinkedHashMap<>();
        places.forEach(place -> byHost.computeIfAbsent(place.host(), host -> new ArrayList<>()).add(place));
        return List.copyOf(byHost.values());
    }

    private void start(List<TaskPlace> places, List<GroupTask> programs) {
        for (TaskPlace place : places) {
            threads.add(new TaskMember(hub, group(), place, places.size()), programs.get(place.index()), hub::end);
        }
        threads.start();
    }

    private void killed(int task) {
        threads.kill(task);
        TaskProcesses started = processes;
        if (started != null) {
            started.kill(task);
        }
    }

    @Override
    public String group() {
        return creator.group();
    }

    @Override
    public int index() {
        return CREATOR;
    }

    @Override
    public List<TaskInfo> query() {
        return hub.query();
    }

    @Override
    public void send(int destination, byte[] content) throws TaskGroupException, InterruptedException {
        creator.send(destination, content);
    }

    @Override
    public boolean send(int destination, byte[] content, Duration timeout)
            throws TaskGroupException, InterruptedException {
        return creator.send(destination, content, timeout);
    }

    @Override
    public Message receive(int source) throws TaskGroupException, InterruptedException {
        return creator.receive(source);
    }

    @Override
    public Optional<Message> receive(int source, Duration timeout) throws TaskGroupException, InterruptedException {
        return creator.receive(source, timeout);
    }

    @Override
    public void kill(int task) {
        creator.kill(task);
    }

    @Override
    public void killAll() {
        creator.killAll();
    }

    /**
     * Waits until all tasks have ended, however they ended; {@link #query} shows it.
     *
     * @return false if one still runs after the time
     */
    public boolean await(Duration timeout) throws InterruptedException {
        return hub.await(timeout);
    }

    /**
     * Ends the group: kills the tasks that still run, and ends all threads and processes that it started. Threads and
     * processes that do not end by themselves within the grace are left to the end of this process, or killed. Does
     * nothing if the group was freed before.
     *
     * @throws TaskGroupException if tasks in this process did not respond to their interruption; the message names them
     * @throws InterruptedException if the thread was interrupted; processes have been killed, threads may still run
     */
    public void free() throws TaskGroupException, InterruptedException {
        if (!hub.free()) {
            return;
        }
        threads.killAll();
        TaskProcesses started = processes;
        if (started != null) {
            started.end();
        }
        List<Integer> late = threads.join(options.grace());
        if (!late.isEmpty()) {
            throw new TaskGroupException("tasks " + late + " do not respond to their interruption", late.getFirst());
        }
    }

    /**
     * Calls {@link #free}. An interrupt of the thread is kept for its next call that waits.
     *
     * @throws TaskGroupException as for {@link #free}
     */
    @Override
    public void close() throws TaskGroupException {
        try {
            free();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
