// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.sql;

import java.util.List;
import java.util.function.Consumer;

import org.treehaul.tuplespace.store.Aggregator;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Aggregate;
import org.treehaul.tuplespace.tuple.Group;
import org.treehaul.tuplespace.tuple.Template;

/** A store in a database. */
public abstract class DatabaseStore implements Store {
    /** The transaction of {@link #beginAlone}, which is one of the database: no other transaction holds its tuples. */
    public static final long ALONE = -1;

    /** Returns the number that marks tuples in a transaction. */
    public static long marked(long transaction) {
        return transaction == ALONE ? NONE : transaction;
    }

    /** Ends the transaction of this thread alone; returns false when it has ended. */
    protected abstract boolean endAlone(boolean isCommit);

    /** Ends another transaction; returns false when it has ended. */
    protected abstract boolean end(long transaction, boolean isCommit);

    @Override
    public abstract void aggregate(Template<?> template, Aggregator into, long transaction);

    @Override
    public final boolean commit(long transaction) {
        return transaction == ALONE ? endAlone(true) : end(transaction, true);
    }

    @Override
    public final boolean abort(long transaction) {
        return transaction == ALONE ? endAlone(false) : end(transaction, false);
    }

    @Override
    public final List<Group> aggregate(Template<?> template, List<String> by, List<Aggregate> aggregates,
            long transaction) {
        Aggregator all = new Aggregator(template, by, aggregates);
        aggregate(template, all, transaction);
        return all.groups();
    }

    @Override
    public final void aggregateInParts(Template<?> template, List<String> by, List<Aggregate> aggregates,
            long transaction, long bytes, Consumer<? super Group> action) {
        Aggregator some = new Aggregator(template, by, aggregates, bytes, action);
        aggregate(template, some, transaction);
        some.groups().forEach(action);
    }
}
