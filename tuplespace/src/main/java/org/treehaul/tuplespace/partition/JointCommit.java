// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.partition.Control.Committed;
import org.treehaul.tuplespace.partition.Control.Prepared;
import org.treehaul.tuplespace.partition.Control.Undecided;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
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
    private static final Logger LOG = LoggerFactory.getLogger(JointCommit.class);
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

    /**
     * Ends all transactions of a joint; returns false if it had ended before, and then all of it is undone. Those of
     * partitions that do not answer stay with the joint; see {@link #abort}.
     */
    boolean end(Joint joint, boolean isCommit) {
        List<Integer> changed = isCommit ? List.copyOf(joint.changed) : List.of();
        boolean isDone = changed.isEmpty();
        boolean isFailed = true;
        try {
            if (changed.size() == 1) {
                int only = changed.getFirst();
                isDone = router.partition(only).end(part(joint, only), true);
                joint.parts.remove(only);
            } else if (changed.size() > 1) {
                isDone = commit(joint);
            }
            isFailed = false;
        } finally {
            // Those that have only read, or all if there is no commit.
            abort(joint, isFailed || isDone && isCommit);
        }
        if (isDone) {
            changed.forEach(number -> router.epochs.changed(router.partition(number)));
        }
        return isDone;
    }

    /**
     * Undoes what is left of a joint, as far as the partitions answer.
     *
     * @param isQuiet whether to throw nothing if some do not
     */
    void abort(Joint joint, boolean isQuiet) {
        RuntimeException failure = null;
        for (Map.Entry<Integer, Long> part : new TreeMap<>(joint.parts).entrySet()) {
            try {
                router.partition(part.getKey()).end(part.getValue(), false);
                joint.parts.remove(part.getKey());
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null && !isQuiet) {
            throw failure;
        }
    }

    private boolean commit(Joint joint) {
        UUID commit = UUID.randomUUID();
        Store first = router.partition(0).store;
        router.partition(0)
                .naming(() -> first.write(List.of(new Undecided(commit)), clock.millis() + LEASE, Store.NONE));
        Map<Integer, Long> parts = new TreeMap<>();
        joint.changed.forEach(number -> parts.put(number, part(joint, number)));
        boolean isPrepared = false;
        try {
            isPrepared = parts.entrySet()
                    .stream()
                    .allMatch(part -> prepare(router.partition(part.getKey()), commit, part.getValue()));
        } finally {
            if (!isPrepared) {
                undo(parts, first, commit);
            }
        }
        if (!isPrepared) {
            return false;
        }
        // From now on the decision counts: recovery commits the parts that fail here.
        joint.parts.keySet().removeAll(parts.keySet());
        if (!isDecided(parts, first, commit)) {
            undo(parts, first, commit);
            return false;
        }
        complete(parts, first, commit);
        return true;
    }

    private void undo(Map<Integer, Long> parts, Store first, UUID commit) {
        first.remove(UNDECIDED.equal("commit", commit), Store.NONE);
        parts.forEach((number, part) -> {
            // Before the record of it goes, because its lease may no longer end.
            router.partition(number).end(part, false);
            router.partition(number).store.remove(PREPARED.equal("commit", commit), Store.NONE);
        });
    }

    /** Decides; returns false when the mark has ended. If the first store does not answer, asks what it has done. */
    private boolean isDecided(Map<Integer, Long> parts, Store first, UUID commit) {
        try {
            return decide(first, commit, parts.keySet());
        } catch (SpaceException failure) {
            boolean isDecided;
            try {
                // In this order: without the mark, nothing can be decided any more.
                first.remove(UNDECIDED.equal("commit", commit), Store.NONE);
                isDecided = first.attempt(COMMITTED.equal("commit", commit), false, Store.NONE) instanceof Attempt.Hit;
            } catch (SpaceException none) {
                failure.addSuppressed(none);
                throw new SpaceException(SpaceException.Reason.IO,
                        "it is unknown whether the change was made; it will be made in all partitions or in none: "
                                + failure.getMessage(),
                        failure);
            }
            if (!isDecided) {
                undo(parts, first, commit);
                throw failure;
            }
            return true;
        }
    }

    /** Commits what was decided. A partition that cannot be reached is left to {@link #recover}, here or elsewhere. */
    private void complete(Map<Integer, Long> parts, Store first, UUID commit) {
        List<Integer> done = new ArrayList<>();
        visible.lock();
        try {
            parts.forEach((number, part) -> {
                if (isDone(number, () -> router.partition(number).end(part, true))) {
                    done.add(number);
                }
            });
        } finally {
            visible.unlock();
        }
        long left = done.stream()
                .filter(number -> !isDone(number,
                        () -> router.partition(number).store.remove(PREPARED.equal("commit", commit), Store.NONE)))
                .count();
        if (left == 0 && done.size() == parts.size()) {
            isDone(0, () -> first.remove(COMMITTED.equal("commit", commit), Store.NONE));
        }
    }

    private static boolean isDone(int number, Runnable step) {
        try {
            step.run();
            return true;
        } catch (SpaceException e) {
            LOG.warn("partition {}: a commit over several partitions will be completed later: {}", number,
                    e.toString());
            return false;
        }
    }

    private static long part(Joint joint, int number) {
        Long part = joint.parts.get(number);
        if (part == null) {
            throw new IllegalStateException("partition " + number + " has no part in the transaction");
        }
        return part;
    }

    private static boolean prepare(Partition partition, UUID commit, long part) {
        return partition.naming(() -> {
            partition.store.write(List.of(new Prepared(commit, part)), Store.NEVER, Store.NONE);
            return partition.store.prepare(part);
        });
    }

    private static boolean decide(Store first, UUID commit, Collection<Integer> partitions) {
        long all = partitions.stream().mapToLong(number -> 1L << number).reduce(0, (one, other) -> one | other);
        return Alone.in(first, alone -> {
            boolean isLive = first.attempt(UNDECIDED.equal("commit", commit), true, alone) instanceof Attempt.Hit;
            if (isLive) {
                first.write(List.of(new Committed(commit, all)), Store.NEVER, alone);
            }
            return isLive;
        });
    }

    /** Completes the commits of processes that have died. */
    void recover() {
        for (int number : router.map().all()) {
            Partition partition = router.partition(number);
            for (Prepared prepared : all(partition.store, PREPARED)) {
                complete(partition, prepared);
            }
        }
        Store first = router.partition(0).store;
        for (Committed committed : all(first, COMMITTED)) {
            if (isComplete(committed)) {
                first.remove(COMMITTED.equal("commit", committed.commit()), Store.NONE);
            }
        }
    }

    /**
     * Completes a commit in all its partitions, also those that an old map lacks; returns whether that was possible.
     */
    private boolean isComplete(Committed committed) {
        Template<Prepared> own = PREPARED.equal("commit", committed.commit());
        for (long left = committed.partitions(); left != 0; left &= left - 1) {
            int number = Long.numberOfTrailingZeros(left);
            if (number >= router.partitions().size()) {
                return false;
            }
            Partition partition = router.partition(number);
            all(partition.store, own).forEach(prepared -> complete(partition, prepared));
            if (!(partition.store.attempt(own, false, Store.NONE) instanceof Attempt.Miss)) {
                return false;
            }
        }
        return true;
    }

    private void complete(Partition partition, Prepared prepared) {
        Store first = router.partition(0).store;
        if (!(first.attempt(UNDECIDED.equal("commit", prepared.commit()), false, Store.NONE) instanceof Attempt.Miss)) {
            return;
        }
        // Removes the mark, if it has ended by the clock of this process only: its own process must not decide later.
        first.sweep();
        // Asked in this order: what is neither undecided nor committed was aborted, or is complete by now.
        boolean isCommitted = first.attempt(COMMITTED.equal("commit", prepared.commit()), false,
                Store.NONE) instanceof Attempt.Hit;
        partition.end(prepared.transaction(), isCommitted);
        partition.store.remove(PREPARED.equal("commit", prepared.commit()), Store.NONE);
    }

    private static <T> List<T> all(Store store, Template<T> template) {
        try (Stream<Stored<T>> all = store.contents(template, Optional.empty(), Long.MAX_VALUE, Store.NONE)) {
            return all.map(Stored::tuple).toList();
        }
    }
}
