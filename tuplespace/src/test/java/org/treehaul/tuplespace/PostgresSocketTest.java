// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceException.Reason;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Template;

/** A space by the socket of the server in the file system has the events of every space, and what else waits. */
class PostgresSocketTest extends EventsContract {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    record Parcel(int number, Bytes content) {}

    @Override
    TupleSpace open(SpaceOptions options) {
        PostgresServer server = PostgresServer.shared();
        return TupleSpaces.open(server.overSocket(server.fresh()), options);
    }

    @Test
    void largeTuplesPassInBothDirectionsThroughTheBufferOfTheKernel() throws Exception {
        byte[] content = new byte[5_000_000];
        new Random(1).nextBytes(content);
        space.write(new Parcel(1, Bytes.of(content)));
        Parcel parcel = space.takeIfExists(Template.of(Parcel.class), Duration.ZERO).orElseThrow();
        // Without its text, which would be long.
        assertThat(parcel.content().equals(Bytes.of(content))).isTrue();
    }

    @Test
    void interruptedThreadsNeitherBreakTheConnectionNorRepeatAChange() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        Thread writer = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < 200; i++) {
                space.write(new Parcel(i, Bytes.of(new byte[1000])));
            }
            end.countDown();
        });
        while (end.getCount() > 0) {
            writer.interrupt();
            Thread.onSpinWait();
        }
        writer.join();
        try (var parcels = space.contents(Template.of(Parcel.class))) {
            assertThat(parcels.map(Parcel::number))
                    .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 200).boxed().toList());
        }
    }

    @Test
    void aServerThatEndsIsReportedAndOneThatIsBackIsUsed() throws Exception {
        try (PostgresServer server = PostgresServer.start("fsync=off")) {
            SpaceUri uri = server.overSocket(server.fresh());
            try (TupleSpace over = TupleSpaces.open(uri, SpaceOptions.defaults().patience(Duration.ofSeconds(1)))) {
                over.write(new Parcel(1, Bytes.of(new byte[1])));
                server.kill();
                assertThatExceptionOfType(SpaceException.class)
                        .isThrownBy(() -> over.write(new Parcel(2, Bytes.of(new byte[1]))))
                        .satisfies(e -> assertThat(e.reason()).isEqualTo(Reason.IO))
                        .withMessageContaining(server.sockets() + "/.s.PGSQL." + server.port());
            }
            assertThatExceptionOfType(SpaceException.class)
                    .isThrownBy(() -> TupleSpaces.open(uri, SpaceOptions.defaults()))
                    .withMessageContaining("check that a server runs there");
            server.begin();
            try (TupleSpace over = TupleSpaces.open(uri, SpaceOptions.defaults())) {
                assertThat(over.take(Template.of(Parcel.class), MINUTE).orElseThrow().number()).isEqualTo(1);
            }
        }
    }
}
