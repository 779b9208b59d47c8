// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.group;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.time.Duration;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.locks.LockSupport;

import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Message;
import org.treehaul.schedulers.tasks.TaskContext;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskProvider;

/** Tasks that tests run: the parameter {@code do} names the work of each task, in their order, separated by blanks. */
public final class TestPrograms implements TaskProvider {

    @Override
    public String name() {
        return "test";
    }

    @Override
    public GroupTask create(SortedMap<String, String> parameters) {
        String all = parameters.get("do");
        if (all == null) {
            throw new IllegalArgumentException("parameter 'do' is missing");
        }
        List<String> works = List.of(all.split(" ", -1));
        return task -> run(works.get(task.index() % works.size()), task);
    }

    private static void run(String work, TaskContext task) throws Exception {
        switch (work) {
            // Sends its identity, and answers messages until one is "end".
            case "echo" -> {
                send(task, identity(task));
                for (Message message = task.receive(GroupMember.ANY); !message.text().equals("end"); message = task
                        .receive(GroupMember.ANY)) {
                    answer(task, message);
                }
            }
            case "sleep" -> {
                send(task, identity(task));
                Thread.sleep(Long.MAX_VALUE);
            }
            case "stubborn" -> {
                send(task, identity(task));
                while (true) {
                    boolean ignored = Thread.interrupted();
                    LockSupport.park(ignored);
                }
            }
            case "throw" -> throw new IllegalStateException("broken\n\u001b[31m");
            default -> throw new IllegalArgumentException(work);
        }
    }

    private static String identity(TaskContext task) {
        return ProcessHandle.current().pid() + " " + task.group() + " " + task.index() + " " + task.instance() + " "
                + task.segment().index() + " " + task.segment().length() + " " + task.segment().host().orElse("-") + " "
                + System.getenv("STARTED_FOR");
    }

    private static void answer(TaskContext task, Message message) throws Exception {
        String[] words = message.text().split(" ", -1);
        switch (words[0]) {
            case "query" -> send(task, task.query().toString());
            // To another task, with an acknowledgement, whose answer the creator gets.
            case "ask" -> {
                boolean isReceived = task.send(Integer.parseInt(words[1]), "echo hello".getBytes(UTF_8),
                        Duration.ofDays(1));
                send(task, isReceived + " " + task.receive(Integer.parseInt(words[1])).text());
            }
            case "kill" -> {
                int other = Integer.parseInt(words[1]);
                task.kill(other);
                try {
                    task.receive(other);
                } catch (TaskGroupException e) {
                    send(task, e.getMessage() + " (" + e.task().orElse(-1) + ")");
                }
            }
            case "poll" -> send(task, task.receive(GroupMember.CREATOR, Duration.ofMillis(1)).toString());
            case "echo" -> task.send(message.source(), message.content());
            default -> throw new IllegalArgumentException(message.text());
        }
    }

    private static void send(TaskContext task, String text) throws Exception {
        task.send(GroupMember.CREATOR, text.getBytes(UTF_8));
    }
}
