// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.tuple.Template;

class SqliteSpaceTest {

    @TempDir
    Path spaces;

    private int opened;

    @SuppressWarnings("NullAway") // set by JUnit
    SqliteSpaceTest() {}

    private TupleSpace openNext(SpaceOptions options) {
        return TupleSpaces.open(spaces.resolve("space" + opened++), options);
    }

    @Nested
    class Operations extends SpaceContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Transactions extends TransactionsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Values extends ValuesContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    @Nested
    class Events extends EventsContract {
        @Override
        TupleSpace open(SpaceOptions options) {
            return openNext(options);
        }
    }

    /** A record that can no longer be created. */
    public record Brittle(int number) {
        private static volatile boolean isBroken;

        public Brittle {
            if (isBroken) {
                throw new LinkageError("broken");
            }
        }
    }

    @Test
    void anErrorIsThrownToItsCallerAndOthersDoNotWait() throws Exception {
        try (TupleSpace space = openNext(SpaceOptions.defaults())) {
            space.write(new Brittle(1));
            FutureTask<List<Brittle>> broken = new FutureTask<>(() -> space.takeAll(Template.of(Brittle.class), 1));
            FutureTask<Lease> sound = new FutureTask<>(() -> space.write(new Job(1, "new", null)));
            Brittle.isBroken = true;
            // Both wait for the same commit.
            space.atomically(alone -> {
                startAndAwaitParked(broken);
                startAndAwaitParked(sound);
                return true;
            });
            assertThat(sound.get(60, TimeUnit.SECONDS)).isNotNull();
            assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> broken.get(60, TimeUnit.SECONDS))
                    .withCauseInstanceOf(LinkageError.class);
            Brittle.isBroken = false;
            assertThat(space.count(Template.of(Job.class))).isEqualTo(1);
            assertThat(space.takeAll(Template.of(Brittle.class), 2)).containsExactly(new Brittle(1));
        } finally {
            Brittle.isBroken = false;
        }
    }

    private static void startAndAwaitParked(FutureTask<?> task) {
        Thread thread = Thread.ofPlatform().daemon().start(task);
        Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING);
    }
}
