// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.checkpoint.Checkpoint;
import org.treehaul.tuplespace.checkpoint.Checkpoints;
import org.treehaul.tuplespace.checkpoint.PartState;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Template;

@SuppressWarnings("try") // checkpoints are collected while it is open
class CheckpointsTest {

    @TempDir
    Path directory;

    private final BlockingQueue<Checkpoint> complete = new LinkedBlockingQueue<>();

    @SuppressWarnings("NullAway") // set by JUnit
    CheckpointsTest() {}

    private static PartState state(long generation, String part, String state) {
        return new PartState("run", generation, part, Bytes.of(state.getBytes(StandardCharsets.UTF_8)));
    }

    private static String text(Checkpoint checkpoint, String part) {
        Bytes state = checkpoint.states().get(part);
        return state == null ? "none" : new String(state.toArray(), StandardCharsets.UTF_8);
    }

    private Checkpoint next() throws InterruptedException {
        Checkpoint next = complete.poll(60, TimeUnit.SECONDS);
        return next == null ? new Checkpoint(-1, java.util.Map.of()) : next;
    }

    @Test
    void aGenerationIsCompleteWhenAllPartsHaveSubmittedInWhateverOrder() throws Exception {
        try (TupleSpace space = TupleSpaces.memory();
                Checkpoints checkpoints = Checkpoints.collect(space, "run", Set.of("a", "b"), directory,
                        complete::add)) {
            Checkpoints.submit(space, state(1, "a", "first"));
            Checkpoints.submit(space, state(1, "a", "second"));
            Checkpoints.submit(space, state(2, "a", "third"));
            Checkpoints.submit(space, state(1, "stranger", "x"));
            assertThat(complete).isEmpty();
            Checkpoints.submit(space, state(1, "b", "fourth"));
            Checkpoint one = next();
            assertThat(one.generation()).isEqualTo(1);
            assertThat(List.of(text(one, "a"), text(one, "b"))).containsExactly("second", "fourth");
            assertThat(space.count(Template.of(PartState.class).equal("generation", 1).equal("part", "a"))).isZero();
            Checkpoints.submit(space, state(2, "b", "fifth"));
            assertThat(next().generation()).isEqualTo(2);
        }
        assertThat(Checkpoints.latest(directory, "run").orElseThrow().generation()).isEqualTo(2);
        assertThat(Checkpoints.latest(directory, "other")).isEmpty();
    }

    @Test
    void aRestartContinuesFromTheLastCompleteCheckpoint() throws Exception {
        try (TupleSpace space = TupleSpaces.memory();
                Checkpoints checkpoints = Checkpoints.collect(space, "run", Set.of("a"), directory, complete::add)) {
            for (int generation = 1; generation <= 4; generation++) {
                Checkpoints.submit(space, state(generation, "a", "s" + generation));
                assertThat(next().generation()).isEqualTo(generation);
            }
        }
        try (var files = Files.list(directory)) {
            assertThat(files).hasSize(2);
        }
        Files.writeString(directory.resolve("run-4.checkpoint"), "torn");
        assertThat(Checkpoints.latest(directory, "run").orElseThrow().generation()).isEqualTo(3);
        try (TupleSpace space = TupleSpaces.memory();
                Checkpoints checkpoints = Checkpoints.collect(space, "run", Set.of("a"), directory, complete::add)) {
            Checkpoints.submit(space, state(3, "a", "late"));
            Checkpoints.submit(space, state(4, "a", "anew"));
            assertThat(text(next(), "a")).isEqualTo("anew");
        }
    }

    @Test
    void partsSubmittedBeforeTheEndAreWrittenAndReported() throws Exception {
        for (int generation = 1; generation <= 200; generation++) {
            try (TupleSpace space = TupleSpaces.memory()) {
                Checkpoints checkpoints = Checkpoints.collect(space, "run", Set.of("a"), directory, complete::add);
                Checkpoints.submit(space, state(generation, "a", "last"));
                checkpoints.close();
                assertThat(complete.poll()).isNotNull().extracting(Checkpoint::generation).isEqualTo((long) generation);
                assertThat(space.count(Template.of(PartState.class))).isZero();
                checkpoints.close();
                assertThat(complete).isEmpty();
            }
        }
    }

    @Test
    void aSnapshotOfPartsThatJustReplaceTheirStateIsNeverTakenForACheckpoint() throws Exception {
        List<Boolean> seen = new ArrayList<>();
        try (TupleSpace space = TupleSpaces.memory()) {
            TupleSpace replacing = (TupleSpace) Proxy.newProxyInstance(TupleSpace.class.getClassLoader(),
                    new Class<?>[]{TupleSpace.class}, (proxy, method, arguments) -> {
                        Object result = method.invoke(space, arguments);
                        if (!method.getName().equals("store")) {
                            return result;
                        }
                        // A process that dies here leaves the present files.
                        seen.add(Checkpoints.latest(directory, "run").isPresent());
                        return seen.size() == 1 ? (Object) 0L : result;
                    });
            Checkpoints.submit(space, state(1, "a", "first"));
            try (Checkpoints checkpoints = Checkpoints.collect(replacing, "run", Set.of("a"), directory,
                    complete::add)) {
                assertThat(directory).isEmptyDirectory();
            }
            assertThat(next().generation()).isEqualTo(1);
            assertThat(seen).containsExactly(false, false);
        }
        try (var files = Files.list(directory)) {
            assertThat(files).containsExactly(directory.resolve("run-1.checkpoint"));
        }
    }

    @Test
    void aPartThatSubmitsTwiceAtTheSameTimeStandsForNoOther() throws Exception {
        try (TupleSpace space = TupleSpaces.memory();
                Checkpoints checkpoints = Checkpoints.collect(space, "run", Set.of("a", "b"), directory,
                        complete::add)) {
            // The former process of a job that runs again has not ended: it is in the middle of its submission.
            try (Transaction former = space.begin(Duration.ofMinutes(1))) {
                former.remove(Template.of(PartState.class).equal("generation", 1));
                former.write(state(1, "a", "same"));
                Checkpoints.submit(space, state(1, "a", "same"));
                former.commit();
            }
            assertThat(space.count(Template.of(PartState.class))).isEqualTo(2);
            Checkpoints.submit(space, state(1, "b", "late"));
            Checkpoint one = next();
            assertThat(one.states().keySet()).containsExactlyInAnyOrder("a", "b");
            assertThat(List.of(text(one, "a"), text(one, "b"))).containsExactly("same", "late");
            assertThat(space.count(Template.of(PartState.class))).isZero();
        }
    }

    @Test
    void theActionMayClose() throws Exception {
        Checkpoints[] opened = new Checkpoints[1];
        try (TupleSpace space = TupleSpaces.memory()) {
            Checkpoints.submit(space, state(1, "a", "first"));
            Checkpoints.submit(space, state(2, "a", "second"));
            opened[0] = Checkpoints.collect(space, "run", Set.of("a"), directory, checkpoint -> {
                complete.add(checkpoint);
                if (checkpoint.generation() == 3) {
                    opened[0].close();
                }
            });
            assertThat(next().generation()).isEqualTo(1);
            assertThat(next().generation()).isEqualTo(2);
            Checkpoints.submit(space, state(3, "a", "third"));
            assertThat(next().generation()).isEqualTo(3);
            opened[0].close();
            Checkpoints.submit(space, state(4, "a", "fourth"));
            assertThat(space.count(Template.of(PartState.class))).isEqualTo(1);
        }
        assertThat(Checkpoints.latest(directory, "run").orElseThrow().generation()).isEqualTo(3);
    }

    @Test
    void aCollectionThatFailsToBeginCollectsNothingFurther() throws Exception {
        try (TupleSpace space = TupleSpaces.memory()) {
            Checkpoints.submit(space, state(1, "a", "first"));
            assertThatThrownBy(() -> Checkpoints.collect(space, "run", Set.of("a"), directory, checkpoint -> {
                complete.add(checkpoint);
                throw new IllegalStateException("the action failed");
            })).hasMessage("the action failed");
            assertThat(next().generation()).isEqualTo(1);
            Checkpoints.submit(space, state(2, "a", "second"));
            assertThat(complete.poll(300, TimeUnit.MILLISECONDS)).isNull();
            assertThat(space.count(Template.of(PartState.class))).isEqualTo(1);
            try (Checkpoints again = Checkpoints.collect(space, "run", Set.of("a"), directory, complete::add)) {
                assertThat(next().generation()).isEqualTo(2);
            }
        }
    }
}
