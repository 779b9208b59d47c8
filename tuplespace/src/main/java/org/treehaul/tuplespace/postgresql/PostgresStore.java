// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.tuplespace.postgresql.connection.Statements;
import org.treehaul.tuplespace.postgresql.connection.Step;
import org.treehaul.tuplespace.postgresql.sql.Place;
import org.treehaul.tuplespace.postgresql.sql.Table;
import org.treehaul.tuplespace.postgresql.sql.Where;
import org.treehaul.tuplespace.sql.DatabaseStore;
import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.StoreListener;
import org.treehaul.tuplespace.store.StoreOptions;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.store.StoredClass;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/** Stores tuples in a schema of PostgreSQL. Changes go through the {@link Writer}; reads go through {@link Queries}. */
final class PostgresStore extends DatabaseStore {
    /** Until the commit, no other transaction can take the tuple. */
    private static final String KEEPING = " FOR SHARE";
    private static final long REMOVAL = 5_000_000_000L;

    private final Writer writer;
    private final GroupCommit writes;
    private final Queries queries;
    private final AggregateQueries aggregates;
    private final Transactions transactions;
    private final Takes takes;
    private final NamedTakes namedTakes;
    private final Leases leases;
    private final Watch watch;
    private final Inserts inserts;
    private long removedLost = System.nanoTime() - REMOVAL;

    PostgresStore(Writer writer, StoreOptions options, StoreListener listener) {
        this.writer = writer;
        writes = new GroupCommit(writer);
        queries = new Queries(writer);
        aggregates = new AggregateQueries(writer, queries);
        transactions = new Transactions(writer);
        takes = new Takes(writer);
        namedTakes = new NamedTakes(writer, queries);
        leases = new Leases(writer, transactions);
        watch = new Watch(writer, listener, options.patience());
        inserts = new Inserts(writer);
    }

    @Override
    public <R> R exclusively(Supplier<R> work) {
        return writer.exclusively(work);
    }

    @Override
    public <R> R quietly(Supplier<R> work) {
        return writer.quiet.run(work);
    }

    private <R> R change(long transaction, Step<R> step) {
        return transaction == ALONE ? writer.alone.run(step) : writer.run(checked(transaction, step));
    }

    private <R> Step<R> checked(long transaction, Step<R> step) {
        return transaction == NONE ? step : connection -> {
            transactions.check(connection, transaction);
            return step.run(connection);
        };
    }

    @Override
    public long[] write(List<? extends Record> tuples, long[] expiresAt, long transaction) {
        tuples.forEach(tuple -> TupleType.of(tuple).check(tuple));
        Step<long[]> step = connection -> insert(connection, tuples, expiresAt, marked(transaction));
        return transaction == ALONE ? writer.alone.run(step) : writes.run(checked(transaction, step));
    }

    @Override
    public Optional<long[]> writeWhile(Template<?> guard, List<? extends Record> tuples, long[] expiresAt) {
        tuples.forEach(tuple -> TupleType.of(tuple).check(tuple));
        Long written = tuples.size() == 1 ? writeAtOnce(guard, tuples.getFirst(), expiresAt[0]) : null;
        if (written != null) {
            return Optional.of(new long[]{written});
        }
        return change(NONE, connection -> {
            for (Place place : queries.places(connection, guard, true)) {
                Where where = Where.toKeep(place, NONE, writer.clock.sql());
                if (tuples.size() == 1 && place.isExact()) {
                    Long id = inserts.ifAny(connection, kept(place, where), tuples.getFirst(), expiresAt[0]);
                    if (id != null) {
                        return Optional.of(new long[]{id});
                    }
                } else if (Takes.first(connection, place, where, KEEPING) != null) {
                    return Optional.of(insert(connection, tuples, expiresAt, NONE));
                }
            }
            return Optional.empty();
        });
    }

    /**
     * Returns the number of the tuple; null if it was not written because the guard or something else prevents that.
     */
    private @Nullable Long writeAtOnce(Template<?> guard, Record tuple, long expiresAt) {
        Place place = queries.known(guard);
        Table table = writer.tables.known(TupleType.of(tuple));
        return place == null || table == null || !place.isExact()
                ? null
                : inserts.atOnce(table, kept(place, writer.undisturbed(Where.toKeep(place, NONE, writer.clock.sql()))),
                        tuple, expiresAt);
    }

    private static Writer.Statement kept(Place place, Where where) {
        return new Writer.Statement(Takes.select(place, where, 1, KEEPING), where.parameters());
    }

    private long[] insert(Statements connection, List<? extends Record> tuples, long[] expiresAt, long transaction)
            throws SQLException {
        return inserts.all(connection, tuples, expiresAt, transaction);
    }

    @Override
    public <T> Attempt<T> attempt(Template<T> template, boolean isTake, long transaction) {
        if (!isTake && transaction == NONE) {
            writer.checkOpen();
            return writer.pool.read(connection -> {
                List<Place> places = queries.places(connection, template, false);
                Step<Attempt<T>> reading = own -> {
                    Attempt<T> found = read(own, template, places, NONE);
                    return found != null ? found : miss(own, places, NONE);
                };
                // Outside a transaction of the server, the driver would load all rows that a predicate has to test.
                return places.stream().allMatch(Place::isExact)
                        ? reading.run(connection)
                        : connection.atOneMoment(reading);
            });
        }
        Attempt<Record> named = transaction == NONE ? namedTakes.take(template) : null;
        if (named != null) {
            return named instanceof Attempt.Hit<Record>(Record tuple)
                    ? new Attempt.Hit<>(template.type().cast(tuple))
                    : new Attempt.Miss<>();
        }
        return change(transaction, connection -> {
            List<Place> places = queries.places(connection, template, true);
            long marked = marked(transaction);
            Attempt<T> found = isTake
                    ? take(connection, template, places, marked, Takes.SKIPPING)
                    : read(connection, template, places, marked);
            if (found != null || places.isEmpty()) {
                return found == null ? new Attempt.Miss<>() : found;
            }
            Attempt<T> missed = miss(connection, places, marked);
            if (isTake && missed instanceof Attempt.Held) {
                // It may be held only by a change that is running in another process.
                found = take(connection, template, places, marked, Takes.WAITING);
                return found != null ? found : miss(connection, places, marked);
            }
            return missed;
        });
    }

    private <T> Attempt<T> miss(Statements connection, List<Place> places, long transaction) throws SQLException {
        for (Place place : places) {
            Where where = Where.held(place, transaction, writer.clock.sql());
            if (Takes.first(connection, place, where, "") != null) {
                return new Attempt.Held<>();
            }
        }
        return new Attempt.Miss<>();
    }

    private <T> @Nullable Attempt<T> read(Statements connection, Template<T> template, List<Place> places,
            long transaction) throws SQLException {
        for (Place place : places) {
            Where where = transaction == NONE
                    ? Where.toRead(place, NONE, writer.names, writer.clock.sql())
                    : Where.toKeep(place, transaction, writer.clock.sql());
            Stored<Record> found = Takes.first(connection, place, where, transaction == NONE ? "" : Takes.WAITING);
            if (found != null) {
                if (transaction != NONE) {
                    Queries.markRead(connection, place.table(), List.of(found.id()), transaction);
                }
                return new Attempt.Hit<>(template.type().cast(found.tuple()));
            }
        }
        return null;
    }

    private <T> @Nullable Attempt<T> take(Statements connection, Template<T> template, List<Place> places,
            long transaction, String locking) throws SQLException {
        for (Place place : places) {
            List<Stored<Record>> found = takes.take(connection, place, 1, transaction, locking);
            if (!found.isEmpty()) {
                return new Attempt.Hit<>(template.type().cast(found.getFirst().tuple()));
            }
        }
        return null;
    }

    @Override
    public <T> List<T> takeAll(Template<T> template, int max, long transaction) {
        return takeOwned(template, max, transaction).stream().map(Owned::tuple).toList();
    }

    @Override
    public <T> List<Owned<T>> takeOwned(Template<T> template, int max, long transaction) {
        return change(transaction, connection -> {
            List<Owned<T>> taken = new ArrayList<>();
            List<Place> places = queries.places(connection, template, true);
            for (String locking : List.of(Takes.SKIPPING, Takes.WAITING)) {
                for (Place place : taken.isEmpty() || locking.equals(Takes.SKIPPING) ? places : List.<Place>of()) {
                    for (Stored<Record> stored : max > taken.size()
                            ? takes.take(connection, place, max - taken.size(), marked(transaction), locking)
                            : List.<Stored<Record>>of()) {
                        taken.add(
                                new Owned<>(template.type().cast(stored.tuple()), Optional.ofNullable(stored.owner())));
                    }
                }
            }
            return taken;
        });
    }

    @Override
    public long remove(Template<?> template, long transaction) {
        long marked = marked(transaction);
        return change(transaction, connection -> {
            long count = 0;
            for (Place place : queries.places(connection, template, true)) {
                if (marked != NONE || !place.isExact() || writer.log.isWatched(NONE)) {
                    count += takes.takeEach(connection, place, marked);
                } else {
                    Where where = Where.toTake(place, NONE, writer.clock.sql());
                    count += connection.update("DELETE FROM " + place.table().name() + " WHERE " + where.sql(),
                            where.parameters());
                }
            }
            if (count > 0) {
                writer.log.touch();
            }
            return count;
        });
    }

    @Override
    public <T> Stream<Stored<T>> contents(Template<T> template, Optional<Order> order, long limit, long transaction) {
        return queries.contents(template, order, limit, transaction);
    }

    @Override
    public void aggregate(Template<?> template, Aggregator into, long transaction) {
        aggregates.aggregate(template, into, transaction);
    }

    @Override
    public boolean renew(long tuple, long expiresAt) {
        return change(NONE, connection -> leases.renew(connection, tuple, expiresAt));
    }

    @Override
    public long[] renewAll(long[] tuples, long[] expiresAt) {
        return change(NONE, connection -> leases.renewAll(connection, tuples, expiresAt));
    }

    @Override
    public boolean cancel(long tuple) {
        return change(NONE, connection -> leases.cancelAll(connection, new long[]{tuple}) == 1);
    }

    @Override
    public void cancelAll(long[] tuples) {
        change(NONE, connection -> leases.cancelAll(connection, tuples));
    }

    @Override
    public long[] existing(long[] tuples) {
        return queries.existing(tuples);
    }

    @Override
    public List<StoredClass> recordClasses() {
        return queries.recordClasses();
    }

    @Override
    public long ahead() {
        return queries.ahead();
    }

    @Override
    public long begin(long expiresAt) {
        return writer.exclusively(() -> {
            writer.checkChangeable();
            long client = writer.alone.isOpen() ? 0 : watch.client();
            return change(NONE, connection -> transactions.begin(connection, client, expiresAt));
        });
    }

    @Override
    public long beginAlone() {
        writer.alone.begin();
        return ALONE;
    }

    @Override
    public boolean renewTransaction(long transaction, long expiresAt) {
        return transaction == ALONE
                || change(NONE, connection -> transactions.renew(connection, transaction, expiresAt));
    }

    @Override
    protected boolean endAlone(boolean isCommit) {
        return writer.alone.end(isCommit);
    }

    @Override
    public boolean prepare(long transaction) {
        return change(NONE, connection -> transactions.prepare(connection, transaction));
    }

    @Override
    protected boolean end(long transaction, boolean isCommit) {
        return change(NONE, connection -> transactions.end(connection, transaction, isCommit));
    }

    @Override
    public long sweep() {
        if (writer.isToRead) {
            return NEVER;
        }
        if (System.nanoTime() - removedLost > REMOVAL) {
            removedLost = System.nanoTime();
            watch.removeLost();
        }
        long now = writer.clock.own().millis();
        long next = queries.nextEnd();
        if (next > now) {
            return next;
        }
        change(NONE, connection -> {
            leases.endDue(connection);
            return true;
        });
        return queries.nextEnd();
    }

    @Override
    public void interestChanged() {
        watch.interestChanged();
    }

    @Override
    public void close() {
        Statements.uninterrupted(() -> {
            watch.close();
            writer.close();
            writes.close();
            writer.pool.close();
            return true;
        });
    }
}
