// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.Change;
import org.treehaul.tuplespace.store.EventKind;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Brings the events of one registration to its action, one after another, in a thread of the executor. The queue is
 * bounded; what it has no room for is dropped, counted, and told by a gap in the sequence.
 */
final class Delivery<T> {
    private static final Logger LOG = LoggerFactory.getLogger(Delivery.class);

    private final Template<T> template;
    private final Set<EventKind> kinds;
    private final Consumer<? super TupleEvent<T>> action;
    private final Executor executor;
    private final int capacity;

    // Guarded by this.
    private final Deque<TupleEvent<T>> queue = new ArrayDeque<>();
    private long sequence;
    private long lost;
    private boolean isGap;
    private boolean isRunning;
    private boolean isEnded;
    private long demand;
    private @Nullable Runnable atEnd;

    /** @param demand how many events are wanted so far */
    Delivery(Template<T> template, Set<EventKind> kinds, Consumer<? super TupleEvent<T>> action, Executor executor,
            int capacity, long demand) {
        this.template = template;
        this.kinds = Set.copyOf(kinds);
        this.action = action;
        this.executor = executor;
        this.capacity = capacity;
        this.demand = demand;
    }

    /** Queues what concerns it; never waits. */
    synchronized void offer(Change change) {
        boolean isWanted = kinds.contains(change.kind())
                || change.kind() == EventKind.WRITTEN && kinds.contains(EventKind.AVAILABLE);
        if (isEnded || !isWanted || !template.matches(change.tuple())) {
            return;
        }
        T tuple = template.type().cast(change.tuple());
        if (kinds.contains(change.kind())) {
            queue(change.kind(), tuple);
        }
        if (change.kind() == EventKind.WRITTEN && kinds.contains(EventKind.AVAILABLE)) {
            queue(EventKind.AVAILABLE, tuple);
        }
        run();
    }

    private void queue(EventKind kind, T tuple) {
        sequence++;
        if (queue.size() == capacity) {
            lost++;
            isGap = true;
        } else {
            queue.add(new TupleEvent<>(kind, tuple, sequence, isGap));
            isGap = false;
        }
    }

    /** Whether what comes at once when another process has made many changes would find room. */
    synchronized boolean hasRoom() {
        return queue.size() <= capacity / 2;
    }

    /** Events were lost before they got here. */
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

    /** No more events, not even those that are queued. */
    synchronized void end() {
        isEnded = true;
        queue.clear();
        atEnd = null;
    }

    /** No more events after those that are queued; then something is done. */
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
                } else if (demand != Long.MAX_VALUE) {
                    demand--;
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
