// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.stream.IntStream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.store.SpaceException;

/** Steps that share a commit. */
class GroupQueueTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    private final List<Integer> sizes = new ArrayList<>();
    private final List<Integer> run = new ArrayList<>();

    private static final class Step extends GroupedStep<Integer> {
        private final int number;

        Step(int number) {
            this.number = number;
        }

        int result() {
            return outcome(e -> new SpaceException(SpaceException.Reason.IO, "of the database", e));
        }

        void run() throws SQLException {
            perform(() -> number);
        }
    }

    private void run(List<Step> group) {
        sizes.add(group.size());
        for (Step step : group) {
            try {
                step.run();
                run.add(step.result());
            } catch (SQLException e) {
                step.failed(e);
            }
            step.done();
        }
    }

    private static List<Step> added(GroupQueue<Step> queue, int first, int end) {
        List<Step> steps = IntStream.range(first, end).mapToObj(Step::new).toList();
        steps.forEach(queue::add);
        return steps;
    }

    @Test
    void aThreadRunsThoseBeforeItsOwnStepToo() {
        GroupQueue<Step> queue = new GroupQueue<>(this::run);
        List<Step> steps = added(queue, 0, 600);
        assertThat(queue.first()).isSameAs(steps.getFirst());
        queue.runUntilDone(steps.get(550));
        assertThat(queue.first()).isNull();
        assertThat(sizes).containsExactly(500, 100);
        assertThat(run).containsExactlyElementsOf(IntStream.range(0, 600).boxed().toList());
        assertThat(steps).allMatch(Step::isDone);
    }

    @Test
    void tooLittleMemoryForAGroupFailsAllItsSteps() {
        boolean[] isPoor = {true};
        GroupQueue<Step> queue = new GroupQueue<>(group -> {
            if (isPoor[0]) {
                isPoor[0] = false;
                throw new OutOfMemoryError("as if");
            }
            run(group);
        });
        List<Step> steps = added(queue, 0, 501);
        // Its own step is in the second group.
        queue.runUntilDone(steps.getLast());
        assertThat(steps.getLast().result()).isEqualTo(500);
        assertThat(steps.subList(0, 500)).allSatisfy(step -> {
            assertThat(step.isDone()).isTrue();
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(step::result);
        });
        isPoor[0] = true;
        Step own = added(queue, 7, 8).getFirst();
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> queue.runUntilDone(own));
        assertThat(run).containsExactly(500);
    }

    @Test
    void aStepThatIsTakenBackDoesNotRun() {
        GroupQueue<Step> queue = new GroupQueue<>(this::run);
        List<Step> steps = added(queue, 0, 3);
        assertThat(queue.withdraw(steps.get(1))).isTrue();
        queue.runUntilDone(steps.getLast());
        assertThat(run).containsExactly(0, 2);
        // A thread that starts after all ends at once.
        queue.runUntilDone(steps.get(1));
        assertThat(run).containsExactly(0, 2);
        assertThat(queue.withdraw(steps.getFirst())).as("it is done").isFalse();
    }

    @Test
    void aStepThatRunsCannotBeTakenBackAndIsAwaited() throws Exception {
        GroupQueue<Step> queue = new GroupQueue<>(group -> {
            Thread waiter = group.getFirst().waiter();
            Awaitility.await().atMost(LONG).until(() -> waiter.getState() == Thread.State.WAITING);
            run(group);
        });
        Step own = added(queue, 5, 6).getFirst();
        FutureTask<?> running = new FutureTask<>(() -> queue.runUntilDone(own), null);
        Thread.ofPlatform().start(running);
        Awaitility.await().atMost(LONG).until(() -> queue.first() == null);
        assertThat(queue.withdraw(own)).isFalse();
        assertThat(own.result()).isEqualTo(5);
        running.get();
    }
}
