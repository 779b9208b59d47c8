// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/** Rows in the tables of a pool that no program of ours writes, among those of workers and transfers. */
class MalformedTuplesTest {

    private static final Duration LEASE = Duration.ofMinutes(10);
    private static final String ID = "20261126-053405-cr4v";
    private static final long TOO_LARGE = 1L << 40;

    @TempDir
    Path directory;

    private Pool pool;

    @SuppressWarnings("NullAway") // set by JUnit
    MalformedTuplesTest() {}

    private SpaceUri uri() {
        return SpaceUri.of(directory.resolve("pool"));
    }

    @BeforeEach
    void open() throws SQLException {
        Pool.open(uri()).close();
        // As in a space of version 1, whose tuples have no checksums.
        sql("CREATE TABLE \"$upgraded\"(version INTEGER NOT NULL)");
        pool = Pool.open(uri());
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private void sql(String command) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("pool/space.db"));
                Statement statement = connection.createStatement()) {
            statement.execute(command);
        }
    }

    private void spoil(Class<?> type, String change) throws SQLException {
        sql("UPDATE \"" + type.getName() + "\" SET \"$check\" = NULL, " + change);
    }

    private static PresentWorker worker(String name) {
        return new PresentWorker(name, 1000, "n07", 1, "", 0, Instant.EPOCH);
    }

    private static TransferOffer offer(int generation) {
        return new TransferOffer(ID, generation, TransferOffer.FORMAT, "/none", "/scratch", 1000, 0, 0, 3,
                Instant.EPOCH);
    }

    private long count(Template<?> template) {
        try (Transaction transaction = pool.begin(LEASE)) {
            return transaction.count(template);
        }
    }

    @Test
    void aTupleWithTheNameOfAWorkerDoesNotKeepItFromShowingThatItIsThere() throws Exception {
        pool.present(worker("one"), LEASE);
        pool.present(worker("two"), LEASE);
        spoil(PresentWorker.class, "since = x'00' WHERE name = 'one'");
        List<String> unreadable = new ArrayList<>();
        try (Pool reading = Pool.openToRead(uri(), unreadable::add)) {
            assertThat(reading.workers()).containsExactly(worker("two"));
        }
        assertThat(unreadable).hasSize(1).first().asString().contains(PresentWorker.class.getName());
        pool.present(worker("one"), LEASE);
        assertThat(pool.workers()).containsExactlyInAnyOrder(worker("one"), worker("two"));
        spoil(PresentWorker.class, "since = x'00'");
        pool.leave("one");
        pool.leave("two");
        assertThat(count(Template.of(PresentWorker.class))).isZero();
    }

    @Test
    void fewMalformedTuplesAmongManyAreFoundAndNamed() throws Exception {
        int many = 2 * ReadableTuples.PORTION + 3;
        try (Transaction transaction = pool.begin(LEASE)) {
            transaction.writeAll(IntStream.range(0, many).mapToObj(i -> worker("w" + i)).toList(), LEASE);
            transaction.commit();
        }
        spoil(PresentWorker.class, "since = x'00' WHERE name IN ('w0', 'w77', 'w78', 'w1002')");
        List<String> unreadable = new ArrayList<>();
        try (Pool reading = Pool.openToRead(uri(), unreadable::add)) {
            assertThat(reading.workers()).containsExactlyInAnyOrderElementsOf(IntStream.range(0, many)
                    .filter(i -> i != 0 && i != 77 && i != 78 && i != many - 1)
                    .mapToObj(i -> worker("w" + i))
                    .toList());
        }
        assertThat(unreadable).hasSize(4);
    }

    @Test
    void offersOfATransferThatCannotBeReadDoNotHideTheOthers() throws Exception {
        for (int generation = 1; generation <= 3; generation++) {
            pool.offer(offer(generation), 2);
        }
        spoil(TransferOffer.class, "generation = " + TOO_LARGE + " WHERE generation = 1");
        spoil(TransferOffer.class, "since = x'00' WHERE generation = 2");
        assertThat(pool.ownedTransfers()).extracting(Owned::tuple).containsExactly(offer(3));
    }

    @Test
    void batchesThatCannotBeReadAreNotTakenAndGoWithTheTransfer() throws Exception {
        pool.offer(offer(1), 3);
        spoil(BatchOffer.class, "batch = " + TOO_LARGE + " WHERE batch = 0");
        spoil(BatchOffer.class, "batch = -1 WHERE batch = 2");
        try (Transaction transaction = pool.begin(LEASE)) {
            assertThat(transaction.takeOwned(Pool.batches(offer(1), Set.of()), 3)).extracting(Owned::tuple)
                    .containsExactly(new BatchOffer(ID, 1, 1));
            transaction.write(new PlannedMore(ID, 1, 4));
            transaction.commit();
        }
        spoil(PlannedMore.class, "offered = " + TOO_LARGE);
        try (Transaction transaction = pool.begin(LEASE)) {
            assertThat(Pool.offered(transaction, offer(1), new Trust(Set.of("nobody")))).isEqualTo(3);
            Pool.withdraw(transaction, ID, 1);
            transaction.commit();
        }
        assertThat(count(Template.of(Record.class))).isZero();
    }

    @Test
    void onlySomeOfTheTransfersWithoutOffersAreNamedAtOnce() throws Exception {
        for (int generation = 1; generation <= 5; generation++) {
            pool.offer(offer(generation), 2);
        }
        spoil(BatchOffer.class, "generation = " + TOO_LARGE + " WHERE generation = 5");
        assertThat(pool.offeredBatches(Set.of(ID + ".2"), 100)).containsExactlyInAnyOrder(ID + ".1", ID + ".3",
                ID + ".4");
        assertThat(pool.offeredBatches(Set.of(ID + ".2"), 2)).hasSize(2).doesNotContain(ID + ".2");
    }

    @Test
    void aBoundIsSetAlthoughAnEarlierOneCannotBeRead() throws Exception {
        pool.bound("/data", 2);
        spoil(PlaceBound.class, "slots = " + TOO_LARGE);
        pool.bound("/data", 1);
        assertThat(pool.bounds()).containsExactly(new PlaceBound("/data", 1, 1));
    }
}
