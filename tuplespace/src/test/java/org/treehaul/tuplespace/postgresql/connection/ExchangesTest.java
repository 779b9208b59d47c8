// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.PostgresServer;
import org.treehaul.tuplespace.Registration;
import org.treehaul.tuplespace.SpaceOptions;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.TupleSpaces;
import org.treehaul.tuplespace.partition.Partitions;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** How often operations wait for the server, counted on the way to it. */
class ExchangesTest {
    private static final int NUMBER = 100;
    /** For the exchanges of the sweep, which another thread makes now and then. */
    private static final int MORE = 50;
    private static final Template<Item> ITEMS = Template.of(Item.class);

    private final PostgresServer server = PostgresServer.shared();
    private final SpaceUri uri = server.fresh();

    @TempDir
    Path directory = Path.of("");

    record Item(int number) {}

    private interface Operation {
        void run(int number) throws InterruptedException;
    }

    private SpaceUri over(Cable cable) {
        return SpaceUri.parse(uri.toString().replace(":" + server.port(), ":" + cable.port()));
    }

    private static long exchanges(Cable cable, Operation operation) throws InterruptedException {
        operation.run(0);
        long before = cable.messages();
        for (int i = 1; i <= NUMBER; i++) {
            operation.run(i);
        }
        return cable.messages() - before;
    }

    private static void takeAny(TupleSpace space) throws InterruptedException {
        assertThat(space.take(ITEMS, Duration.ZERO).isFound()).isTrue();
    }

    private static void take(TupleSpace space, int number) throws InterruptedException {
        assertThat(space.take(ITEMS.equal("number", number), Duration.ZERO).isFound()).isTrue();
    }

    @Test
    void aTupleIsWrittenInOneExchangeAndTheCommitAndTakenLikewise() throws Exception {
        try (Cable cable = new Cable(server.port());
                TupleSpace space = TupleSpaces.open(over(cable).toString(), SpaceOptions.defaults())) {
            assertThat(exchanges(cable, number -> space.write(new Item(number)))).isBetween(2L * NUMBER,
                    2L * NUMBER + MORE);
            assertThat(exchanges(cable, number -> takeAny(space))).isBetween(2L * NUMBER, 2L * NUMBER + MORE);
        }
    }

    @Test
    void aTupleOfWhichAllValuesAreNamedIsTakenInOneExchange() throws Exception {
        try (Cable cable = new Cable(server.port());
                TupleSpace space = TupleSpaces.open(over(cable).toString(), SpaceOptions.defaults());
                TupleSpace other = TupleSpaces.open(uri.toString(), SpaceOptions.defaults())) {
            AtomicInteger heard = new AtomicInteger();
            for (int i = 0; i <= NUMBER; i++) {
                space.write(new Item(i));
                space.write(new Item(i));
            }
            assertThat(exchanges(cable, number -> take(space, number))).isBetween((long) NUMBER, (long) NUMBER + MORE);

            Registration registration = other.on(ITEMS, EnumSet.of(EventKind.TAKEN), event -> heard.incrementAndGet());
            assertThat(exchanges(cable, number -> take(space, number))).isGreaterThan(2L * NUMBER);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> heard.get() == NUMBER + 1);
            registration.close();
            assertThat(space.count(ITEMS)).isZero();
        }
    }

    @Test
    void aTupleOfWhichAllValuesAreNamedIsFoundToBeAbsentInTwoExchanges() throws Exception {
        try (Cable cable = new Cable(server.port());
                TupleSpace space = TupleSpaces.open(over(cable).toString(), SpaceOptions.defaults())) {
            space.write(new Item(-1));
            assertThat(exchanges(cable,
                    number -> assertThat(space.take(ITEMS.equal("number", number), Duration.ZERO).isFound()).isFalse()))
                    .isBetween(2L * NUMBER, 2L * NUMBER + MORE);
        }
    }

    @Test
    void aFewTuplesAreReadAndCountedInOneExchange() throws Exception {
        try (Cable cable = new Cable(server.port());
                TupleSpace space = TupleSpaces.open(over(cable).toString(), SpaceOptions.defaults())) {
            space.write(new Item(1));
            assertThat(exchanges(cable, number -> assertThat(read(space)).isEqualTo(1))).isBetween((long) NUMBER,
                    (long) NUMBER + MORE);
            assertThat(exchanges(cable, number -> assertThat(space.count(ITEMS)).isEqualTo(1))).isBetween((long) NUMBER,
                    (long) NUMBER + MORE);
        }
    }

    private static long read(TupleSpace space) {
        try (Stream<Item> found = space.contents(ITEMS)) {
            return found.toList().size();
        }
    }

    @Test
    void aTupleIsWrittenToAPartitionAndTakenInOneExchangeUnlessAnotherProcessWatches() throws Exception {
        try (Cable cable = new Cable(server.port());
                TupleSpace space = TupleSpaces.open(partitions(cable), SpaceOptions.defaults());
                TupleSpace other = TupleSpaces.open(sameDirectly(cable), SpaceOptions.defaults())) {
            AtomicInteger heard = new AtomicInteger();
            assertThat(exchanges(cable, number -> space.write(new Item(number)))).isBetween((long) NUMBER,
                    (long) NUMBER + MORE);
            assertThat(exchanges(cable, number -> take(space, number))).isBetween((long) NUMBER, (long) NUMBER + MORE);

            Registration registration = other.on(ITEMS, EnumSet.of(EventKind.WRITTEN),
                    event -> heard.incrementAndGet());
            assertThat(exchanges(cable, number -> space.write(new Item(number)))).isGreaterThan(2L * NUMBER);
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> heard.get() == NUMBER + 1);
            registration.close();
        }
    }

    private String partitions(Cable cable) {
        return Partitions.create(directory.resolve("list"), List.of(over(cable)), 1, 0).toString();
    }

    /** Returns the address of the same space for another process, which is not counted. */
    private String sameDirectly(Cable cable) throws IOException {
        Path list = directory.resolve("direct");
        Files.writeString(list,
                Files.readString(directory.resolve("list")).replace(":" + cable.port(), ":" + server.port()));
        return new SpaceUri(SpaceUri.PARTITIONS, list.toString()).toString();
    }
}
