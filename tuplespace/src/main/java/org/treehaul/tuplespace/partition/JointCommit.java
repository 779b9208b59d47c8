// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import org.treehaul.tuplespace.partition.Control.Committed;
import org.treehaul.tuplespace.partition.Control.Prepared;
import org.treehaul.tuplespace.partition.Control.Undecided;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.store.Stored;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Commits a transaction in all partitions or in none, whichever process dies: two-phase commit, and without a decision
 * the transaction is aborted.
 * <p>
 * Each partition keeps the number of its transaction, whose lease then no longer ends. The first store decides: one
 * step replaces {@link Undecided}, whose own lease ends, by {@link Committed}. Any process completes what another has
 * begun.
 */
final class JointCommit {
    /** Lease of an undecided commit, in milliseconds: after the death of its process, it is aborted then. */
    private static final long LEASE = Duration.ofSeconds(30).toMillis();
    private static final Template<Prepared> PREPARED = Template.of(Prepared.class);
    private static final Template<Committed> COMMITTED = Template.of(Committed.class);
    private static final Template<Undecided> UNDECIDED = Template.of(Undecided.class);

    private final Router router;
    private final InstantSource clock;
    /** Held while the partitions commit, so that readers of this process see all of it or nothing. */
    private final Lock visible;

    JointCommit(Router router, InstantSource clock, Lock visible) {
        this.router = router;
        this.clock = clock;
        this.visible = visible;
    }

    /** Ends all transactions of a joint; returns false if it had ended before, and then all of it is undone. */
    boolean end(Joint joint, boolean isCommit) {
        List<Integer> changed = isCommit ? List.copyOf(joint.changed) : List.of();
        boolean isDone = changed.isEmpty();
        try {
            if (changed.size() == 1) {
                int only = changed.getFirst();
                Long part = joint.parts.remove(only);
                isDone = part != null && router.partition(only).end(part, true);
            } else if (changed.size() > 1) {
                isDone = commit(joint);
            }
        } finally {
            // Those that have only read, or all if there is no commit.
            abort(joint);
        }
        if (isDone) {
            changed.forEach(number -> router.epochs.changed(router.partition(number)));
        }
        return isDone;
    }

    private void abort(Joint joint) {
        RuntimeException failure = null;
        for (Map.Entry<Integer, Long> part : joint.parts.entrySet()) {
            try {
                router.partition(part.getKey()).end(part.getValue(), false);
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        joint.parts.clear();
        if (failure != null) {
            throw failure;
        }
    }

    private boolean commit(Joint joint) {
        UUID commit = UUID.randomUUID();
        Store first = router.partition(0).store;
        first.write(List.of(new Undecided(commit)), clock.millis() + LEASE, Store.NONE);
        boolean isDecided = false;
        try {
            boolean isLive = true;
            for (int number : joint.changed) {
                isLive = isLive && prepare(router.partition(number).store, commit, part(joint, number));
            }
            isDecided = isLive && decide(first, commit);
        } finally {
            if (!isDecided) {
                first.remove(UNDECIDED.equal("commit", commit), Store.NONE);
                for (int number : joint.changed) {
                    // Before the record of it goes, because its lease may no longer end.
                    router.partition(number).end(part(joint, number), false);
                    joint.parts.remove(number);
                    router.partition(number).store.remove(PREPARED.equal("commit", commit), Store.NONE);
                }
            }
        }
        if (isDecided) {
            visible.lock();
            try {
                for (int number : joint.changed) {
                    router.partition(number).end(part(joint, number), true);
                    joint.parts.remove(number);
                }
            } finally {
                visible.unlock();
            }
            for (int number : joint.changed) {
                router.partition(number).store.remove(PREPARED.equal("commit", commit), Store.NONE);
            }
            first.remove(COMMITTED.equal("commit", commit), Store.NONE);
        }
        return isDecided;
    }

    private static long part(Joint joint, int number) {
        Long part = joint.parts.get(number);
        if (part == null) {
            throw new IllegalStateException("partition " + number + " has no part in the transaction");
        }
        return part;
    }

    private static boolean prepare(Store store, UUID commit, long part) {
        store.write(List.of(new Prepared(commit, part)), Store.NEVER, Store.NONE);
        return store.prepare(part);
    }

    private static boolean decide(Store first, UUID commit) {
        return Alone.in(first, alone -> {
            boolean isLive = first.attempt(UNDECIDED.equal("commit", commit), true, alone) instanceof Attempt.Hit;
            if (isLive) {
                first.write(List.of(new Committed(commit)), Store.NEVER, alone);
            }
            return isLive;
        });
    }

    /** Completes the commits of processes that have died. */
    void recover() {
        for (int number : router.map().all()) {
            Partition partition = router.partition(number);
            for (Prepared prepared : all(partition.store, PREPARED)) {
                complete(partition.store, prepared);
            }
        }
        for (Committed committed : all(router.partition(0).store, COMMITTED)) {
            // All partitions have committed by now, or their process is about to remove this tuple itself.
            boolean isDone = router.map()
                    .all()
                    .stream()
                    .allMatch(number -> router.partition(number).store.attempt(
                            PREPARED.equal("commit", committed.commit()), false, Store.NONE) instanceof Attempt.Miss);
            if (isDone) {
                router.partition(0).store.remove(COMMITTED.equal("commit", committed.commit()), Store.NONE);
            }
        }
    }

    private void complete(Store store, Prepared prepared) {
        Store first = router.partition(0).store;
        if (!(first.attempt(UNDECIDED.equal("commit", prepared.commit()), false, Store.NONE) instanceof Attempt.Miss)) {
            return;
        }
        // Removes the mark, if it has ended by the clock of this process only: its own process must not decide later.
        first.sweep();
        // Asked in this order: what is neither undecided nor committed was aborted, or is complete by now.
        boolean isCommitted = first.attempt(COMMITTED.equal("commit", prepared.commit()), false,
                Store.NONE) instanceof Attempt.Hit;
        if (isCommitted) {
            store.commit(prepared.transaction());
        } else {
            store.abort(prepared.transaction());
        }
        store.remove(PREPARED.equal("commit", prepared.commit()), Store.NONE);
    }

    private static <T> List<T> all(Store store, Template<T> template) {
        try (Stream<Stored<T>> all = store.contents(template, Optional.empty(), Long.MAX_VALUE, Store.NONE)) {
            return all.map(Stored::tuple).toList();
        }
    }
}
