// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;
import org.treehaul.tuplespace.tuple.TupleType;

/**
 * Delivers the events of one registration to its action, one after another, on a thread of the executor. The queue is
 * bounded in number and in bytes; an event that finds it full is dropped and counted, and the next event reports the
 * gap.
 */
final class Delivery<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

    /** Bytes of the tuples that wait, roughly; a larger tuple waits alone. */
    private static final long MOST_BYTES = 8 << 20;

    /** The transaction whose uncommitted events are delivered too; {@link Store#NONE} for none. */
    final long transaction;
    private final Template<T> template;
    private final Set<EventKind> kinds;
    private final Consumer<? super TupleEvent<T>> action;
    private final Executor executor;
    private final int capacity;

    // Guarded by this.
    private final Deque<TupleEvent<T>> queue = new ArrayDeque<>();
    private long bytes;
    private long sequence;
    private long lost;
    private boolean isGap;
    private boolean isRunning;
    private boolean isEnded;
    private long demand;
    private @Nullable Runnable atEnd;

    /** @param demand number of events requested so far */
    Delivery(long transaction, Template<T> template, Set<EventKind> kinds, Consumer<? super TupleEvent<T>> action,
            Executor executor, int capacity, long demand) {
        this.transaction = transaction;
        this.template = template;
        this.kinds = Set.copyOf(kinds);
        this.action = action;
        this.executor = executor;
        this.capacity = capacity;
        this.demand = demand;
    }

    /** Queues the events that the change implies and the registration wants; never waits. */
    synchronized void offer(Change change) {
        List<EventKind> wanted = change.kind().implied().stream().filter(kinds::contains).toList();
        boolean isKnown = change.transaction() == Store.NONE || change.transaction() == transaction;
        if (isEnded || !isKnown || wanted.isEmpty() || !matches(change.tuple())) {
            return;
        }
        T tuple = template.type().cast(change.tuple());
        long size = size(change.tuple());
        boolean isNewlyVisible = change.kind().implied().contains(EventKind.VISIBLE);
        wanted.forEach(kind -> queue(kind, tuple, size, isNewlyVisible));
        run();
    }

    /** Returns false also if a predicate of the template fails: then this registration loses the event. */
    private boolean matches(Record tuple) {
        try {
            return template.matches(tuple);
        } catch (RuntimeException | Error e) {
            LOG.warn("the template {} failed", template, e);
            lose();
            return false;
        }
    }

    private void queue(EventKind kind, T tuple, long size, boolean isNewlyVisible) {
        sequence++;
        if (queue.size() == capacity || !queue.isEmpty() && bytes + size > MOST_BYTES) {
            lost++;
            isGap = true;
        } else {
            bytes += size;
            queue.add(new TupleEvent<>(kind, tuple, sequence, isGap, isNewlyVisible));
            isGap = false;
        }
    }

    private static long size(Object tuple) {
        Record record = (Record) tuple;
        return TupleType.of(record).size(record);
    }

    /**
     * Returns whether the queue has room for the burst of events that many changes by another process bring at once.
     */
    synchronized boolean hasRoom() {
        return queue.size() <= capacity / 2 && bytes <= MOST_BYTES / 2;
    }

    /** Counts events that were lost before they reached this queue. */
    synchronized void lose() {
        sequence++;
        lost++;
        isGap = true;
    }

    synchronized long lost() {
        return lost;
    }

    synchronized void request(long more) {
        demand = demand + more < 0 ? Long.MAX_VALUE : demand + more;
        run();
    }

    /** Stops the delivery; queued events are dropped. */
    synchronized void end() {
        isEnded = true;
        queue.clear();
        bytes = 0;
        atEnd = null;
    }

    /** Accepts no more events, delivers the queued ones, then runs {@code last}. */
    synchronized void complete(Runnable last) {
        if (!isEnded) {
            isEnded = true;
            atEnd = last;
            run();
        }
    }

    private void run() {
        if (!isRunning && (!queue.isEmpty() && demand > 0 || queue.isEmpty() && atEnd != null)) {
            isRunning = true;
            executor.execute(this::deliver);
        }
    }

    private void deliver() {
        while (true) {
            TupleEvent<T> event;
            Runnable last = null;
            synchronized (this) {
                event = demand > 0 ? queue.poll() : null;
                if (event == null) {
                    isRunning = false;
                    if (queue.isEmpty()) {
                        last = atEnd;
                        atEnd = null;
                    }
                } else {
                    bytes = queue.isEmpty() ? 0 : bytes - size(Objects.requireNonNull(event.tuple()));
                    demand -= demand == Long.MAX_VALUE ? 0 : 1;
                }
            }
            if (event == null) {
                if (last != null) {
                    last.run();
                }
                return;
            }
            try {
                action.accept(event);
            } catch (RuntimeException | Error e) {
                LOG.warn("the action for {} failed at event {}", template, event.sequence(), e);
            }
        }
    }
}
