// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * A space whose address names a primary and its synchronous standby. The primary dies, and the standby is promoted:
 * programs continue, no acknowledged write is lost, and no caller waits forever.
 */
@Tag("rig")
class PostgresFailoverTest {
    private static final Duration LONG = Duration.ofMinutes(2);

    record Parcel(int number) {}

    record Signal(String name) {}

    @Test
    void programsGoOnWithTheStandbyThatIsPromotedAndHaveAllThatWasAcknowledged() throws Exception {
        try (PostgresServer first = PostgresServer.start(); PostgresServer second = first.standby()) {
            first.run("ALTER SYSTEM SET synchronous_standby_names = '*'");
            first.run("SELECT pg_reload_conf()");
            Awaitility.await()
                    .atMost(LONG)
                    .until(() -> first
                            .number("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") == 1);
            SpaceUri uri = SpaceUri.parse(first.fresh()
                    .toString()
                    .replace(":" + first.port(), ":" + first.port() + ",127.0.0.1:" + second.port())
                    + "&target_session_attrs=read-write");
            SpaceOptions options = SpaceOptions.defaults().patience(Duration.ofSeconds(1));
            try (TupleSpace space = TupleSpaces.open(uri, options); TupleSpace other = TupleSpaces.open(uri, options)) {
                FutureTask<Signal> waiting = new FutureTask<>(() -> awaitSignal(other));
                Thread.ofPlatform().daemon().start(waiting);
                Set<Integer> acknowledged = new HashSet<>();
                List<SpaceException> failed = new ArrayList<>();
                int number = 0;
                while (acknowledged.size() < 200) {
                    if (number == 100) {
                        first.kill();
                    }
                    try {
                        space.write(new Parcel(++number));
                        acknowledged.add(number);
                    } catch (SpaceException e) {
                        assertThat(e.reason()).isEqualTo(SpaceException.Reason.IO);
                        failed.add(e);
                        if (failed.size() == 2) {
                            second.promote();
                        }
                    }
                }
                assertThat(failed).as("the outage was noticed").isNotEmpty();
                space.write(new Signal("go"));
                assertThat(waiting.get()).isEqualTo(new Signal("go"));
                try (Stream<Parcel> parcels = space.contents(Template.of(Parcel.class))) {
                    assertThat(parcels.map(Parcel::number).toList()).containsAll(acknowledged).doesNotHaveDuplicates();
                }
            }
        }
    }

    // Every program that waits has to do this: an outage that is longer than its patience is an error.
    private static Signal awaitSignal(TupleSpace space) throws InterruptedException {
        while (true) {
            try {
                return space.take(Template.of(Signal.class), LONG).orElseThrow();
            } catch (SpaceException e) {
                assertThat(e.reason()).isEqualTo(SpaceException.Reason.IO);
            }
        }
    }
}
