// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.group;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.treehaul.schedulers.tasks.GroupMember.ANY;
import static org.treehaul.schedulers.tasks.GroupMember.CREATOR;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.treehaul.schedulers.tasks.GroupOptions;
import org.treehaul.schedulers.tasks.GroupTask;
import org.treehaul.schedulers.tasks.Message;
import org.treehaul.schedulers.tasks.SegmentedFile;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;

/** Groups whose tasks are threads of this process. */
class TaskGroupTest {

    private static final GroupOptions HERE = GroupOptions.defaults();
    private static final Duration LONG = Duration.ofDays(1);

    private static TaskGroup spawn(int tasks, GroupTask program) {
        return TaskGroup.spawn(program, SegmentedFile.inParts(1000, tasks), HERE);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    /** Runs a call that waits in a thread of its own. */
    private static <T> CompletableFuture<T> async(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(call.call());
            } catch (Exception e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private interface Call<T> {
        T call() throws Exception;
    }

    @Test
    void eachSegmentHasItsTasksWithTheirNumbers() throws Exception {
        Set<String> seen = new TreeSet<>();
        try (TaskGroup group = TaskGroup.spawn(
                task -> task.send(CREATOR,
                        bytes(task.index() + " " + task.instance() + " " + task.segment().index() + " "
                                + task.segment().length() + " " + task.group())),
                SegmentedFile.inParts(10, 3), HERE.instances(2))) {
            for (TaskInfo task : group.query()) {
                assertThat(task.segment()).isEqualTo(task.index() % 3);
                seen.add(group.receive(ANY).text());
            }
            assertThat(group.index()).isEqualTo(CREATOR);
            String id = group.group();
            assertThat(seen).containsExactly("0 0 0 4 " + id, "1 0 1 3 " + id, "2 0 2 3 " + id, "3 1 0 4 " + id,
                    "4 1 1 3 " + id, "5 1 2 3 " + id);
            assertThat(group.await(LONG)).isTrue();
            assertThat(group.query()).extracting(TaskInfo::state).containsOnly(TaskInfo.State.DONE);
        }
    }

    @Test
    void messagesAreReceivedFromAnyOrFromOneInTheirOrder() throws Exception {
        try (TaskGroup group = spawn(3, task -> {
            for (int i = 0; i < 3; i++) {
                task.send(CREATOR, bytes("message " + i));
            }
        })) {
            for (int i = 0; i < 3; i++) {
                assertThat(group.receive(2).text()).isEqualTo("message " + i);
            }
            assertThatThrownBy(() -> group.receive(2)).isInstanceOf(TaskGroupException.class)
                    .hasMessage("task 2 has returned");
            int[] next = new int[2];
            for (int i = 0; i < 6; i++) {
                Message message = group.receive(ANY, LONG).orElseThrow();
                assertThat(message.text()).isEqualTo("message " + next[message.source()]++);
            }
            assertThatThrownBy(() -> group.receive(ANY))
                    .hasMessage("all tasks have ended, and there are no more messages");
        }
    }

    @Test
    void aReceiveThatTimesOutLosesNoMessage() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (TaskGroup group = spawn(1, task -> {
            go.await();
            task.send(CREATOR, bytes("late"));
            task.receive(CREATOR);
        })) {
            assertThat(group.receive(0, Duration.ZERO)).isEmpty();
            assertThat(group.receive(ANY, Duration.ofMillis(1))).isEmpty();
            go.countDown();
            assertThat(group.receive(0).text()).isEqualTo("late");
        }
    }

    @Test
    void anAcknowledgedMessageIsReportedWhenItWasReceived() throws Exception {
        try (TaskGroup group = spawn(2, task -> {
            if (task.index() == 0) {
                task.receive(1);
                task.send(1, bytes("received: " + task.receive(CREATOR).text()));
            } else {
                // Task 0 receives nothing of the creator before this.
                task.receive(CREATOR);
                task.send(0, bytes("go"));
                task.send(CREATOR, task.receive(0).content());
            }
        })) {
            assertThat(group.send(0, bytes("withdrawn"), Duration.ofMillis(1))).isFalse();
            CompletableFuture<Boolean> sent = async(() -> group.send(0, bytes("taken"), LONG));
            assertThat(group.send(1, bytes("go"), LONG)).isTrue();
            assertThat(group.receive(1).text()).isEqualTo("received: taken");
            assertThat(sent.get()).isTrue();
        }
    }

    @Test
    void theEndOfATaskFailsEachCallThatWaitsForItByName() throws Exception {
        CountDownLatch waiting = new CountDownLatch(3);
        AtomicReference<Thread> sender = new AtomicReference<>();
        try (TaskGroup group = spawn(3, task -> {
            if (task.index() == 1) {
                task.send(CREATOR, bytes("last words"));
                waiting.countDown();
                Thread.sleep(LONG);
            }
            waiting.countDown();
            task.receive(1);
        })) {
            CompletableFuture<Boolean> sent = async(() -> {
                sender.set(Thread.currentThread());
                return group.send(1, bytes("never received"), LONG);
            });
            waiting.await();
            // Its message is in the mailbox when it waits for the acknowledgement.
            for (Thread thread = sender.get(); thread == null
                    || thread.getState() != Thread.State.TIMED_WAITING; thread = sender.get()) {
                Thread.onSpinWait();
            }
            assertThat(sent).isNotDone();

            group.kill(1);
            group.kill(1);

            assertThatThrownBy(sent::get).isInstanceOf(ExecutionException.class)
                    .hasMessageContaining("task 1 was killed; it did not receive the message");
            assertThat(group.receive(1).text()).isEqualTo("last words");
            assertThatThrownBy(() -> group.receive(1)).hasMessage("task 1 was killed")
                    .satisfies(e -> assertThat(((TaskGroupException) e).task()).hasValue(1));
            assertThatThrownBy(() -> group.send(1, bytes("x"))).hasMessage("task 1 was killed");
            assertThatThrownBy(() -> group.receive(ANY)).hasMessageContaining("task 0 failed: ")
                    .hasMessageContaining("task 1 was killed");
            assertThat(group.query()).extracting(TaskInfo::state)
                    .containsExactly(TaskInfo.State.FAILED, TaskInfo.State.KILLED, TaskInfo.State.FAILED);
        }
    }

    @Test
    void theExceptionOfATaskIsShownAsPrintableText() throws Exception {
        try (TaskGroup group = TaskGroup.spawn("test", Map.of("do", "throw"),
                () -> SegmentedFile.inParts(1, 1).segments(), HERE)) {
            assertThatThrownBy(() -> group.receive(0))
                    .hasMessage("task 0 failed: java.lang.IllegalStateException: broken\\n\\x1b[31m");
        }
    }

    /** An exception that cannot be shown. */
    private static final class Mute extends Exception {
        private static final long serialVersionUID = 1;

        @Override
        public String getMessage() {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void aTaskWhoseExceptionCannotBeShownHasEnded() throws Exception {
        try (TaskGroup group = spawn(1, task -> {
            throw new Mute();
        })) {
            assertThat(group.await(Duration.ofMinutes(10))).isTrue();
            assertThat(group.query()).extracting(TaskInfo::toString)
                    .containsExactly("task 0 failed: " + Mute.class.getName());
        }
    }

    @Test
    void aSenderWaitsForRoomAndAReceiverOfOneSourceIsNotBlockedByOthers() throws Exception {
        CountDownLatch full = new CountDownLatch(1);
        AtomicReference<Thread> flooding = new AtomicReference<>();
        try (TaskGroup group = TaskGroup.spawn(task -> {
            if (task.index() == 0) {
                flooding.set(Thread.currentThread());
                for (int i = 0; i < 100; i++) {
                    task.send(CREATOR, new byte[100]);
                    if (i == 5) {
                        full.countDown();
                    }
                }
            } else {
                full.await();
                task.send(CREATOR, bytes("between"));
            }
        }, SegmentedFile.inParts(2, 2), HERE.mailbox(1000).virtualThreads(false))) {
            assertThat(group.receive(1).text()).isEqualTo("between");
            // Six messages of 164 bytes fit, and one more sender waits.
            while (Objects.requireNonNull(flooding.get()).getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
            assertThat(group.query().getFirst().state()).isEqualTo(TaskInfo.State.RUNNING);
            for (int i = 0; i < 100; i++) {
                assertThat(group.receive(0).content()).hasSize(100);
            }
            assertThatThrownBy(() -> group.receive(0)).hasMessage("task 0 has returned");
            assertThatThrownBy(() -> group.send(0, new byte[(1 << 20) + 1]))
                    .hasMessage("a message of 1048577 bytes, more than 1048576");
            assertThatThrownBy(() -> group.send(2, new byte[1]))
                    .hasMessage("no member of the group: 2; it has 2 tasks");
        }
    }

    @Test
    void freeEndsAllThreadsAndAllThatWait() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        TaskGroup group = spawn(2, task -> {
            if (task.index() == 0) {
                thread.set(Thread.currentThread());
                task.send(CREATOR, bytes("here"));
            }
            task.receive(CREATOR);
        });
        assertThat(group.receive(0).text()).isEqualTo("here");
        CompletableFuture<Message> waiting = async(() -> group.receive(ANY));
        group.free();
        group.free();
        assertThat(Objects.requireNonNull(thread.get()).isAlive()).isFalse();
        assertThatThrownBy(waiting::get).isInstanceOf(ExecutionException.class);
        assertThat(group.query()).extracting(TaskInfo::toString).contains("task 0 was killed: the group was freed");
        assertThatThrownBy(() -> group.send(0, bytes("x"))).hasMessage("the group was freed");
    }

    @Test
    void freeNamesTasksThatDoNotRespond() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        TaskGroup group = TaskGroup.spawn(task -> {
            while (end.getCount() > 0) {
                boolean ignored = Thread.interrupted();
                assertThat(ignored || !ignored).isTrue();
                Thread.onSpinWait();
            }
        }, SegmentedFile.inParts(1, 1), HERE.times(LONG, LONG, Duration.ofMillis(10)).virtualThreads(false));
        assertThatThrownBy(group::free).hasMessage("tasks [0] do not respond to their interruption");
        end.countDown();
    }

    @Test
    void aTaskKillsAllOthersAndItself() throws Exception {
        try (TaskGroup group = spawn(3, task -> {
            if (task.index() == 1) {
                task.killAll();
            }
            task.receive(CREATOR);
        })) {
            assertThat(group.await(LONG)).isTrue();
            assertThat(group.query()).extracting(TaskInfo::state).containsOnly(TaskInfo.State.KILLED);
        }
    }

    @Test
    void aThousandTasksWaitForEachOtherOnFewThreads() throws Exception {
        int tasks = 1000;
        AtomicReference<Integer> threads = new AtomicReference<>(0);
        int before = ManagementFactory.getThreadMXBean().getThreadCount();
        // A ring: each waits for the one before it, and the last one has all numbers.
        try (TaskGroup group = spawn(tasks, task -> {
            int sum = Integer.parseInt(task.receive(task.index() - 1).text()) + task.index();
            if (task.index() == tasks - 1) {
                threads.set(ManagementFactory.getThreadMXBean().getThreadCount());
            }
            task.send(task.index() == tasks - 1 ? CREATOR : task.index() + 1, bytes(Integer.toString(sum)));
        })) {
            assertThat(group.send(0, bytes("0"), LONG)).isTrue();
            assertThat(group.receive(tasks - 1).text()).isEqualTo(Integer.toString(tasks * (tasks - 1) / 2));
            assertThat(group.await(LONG)).isTrue();
        }
        assertThat(threads.get()).isLessThan(before + 100);
    }

    @Test
    void programsAreFoundByName() {
        assertThatThrownBy(() -> TaskGroup.spawn("other", Map.of(), SegmentedFile.inParts(1, 1), HERE))
                .hasMessage("the program 'other' is not found: the class path has no TaskProvider of that name");
        assertThatThrownBy(() -> TaskGroup.spawn("test", Map.of(), SegmentedFile.inParts(1, 1), HERE))
                .hasMessage("the program 'test' refuses its parameters: parameter 'do' is missing");
        assertThatThrownBy(() -> TaskGroup.spawn("test", Map.of("do", "echo"), () -> List.of(), HERE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1 tasks for each of 0 segments");
        assertThatThrownBy(() -> TaskGroup.spawn(task -> {
        }, SegmentedFile.inParts(1, 1), HERE.placement(GroupOptions.Placement.TASKS)))
                .hasMessageContaining("only by the name of its TaskProvider");
    }
}
