// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.Owned;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Reads and takes single tuples, in the partitions that can have a match, one after another. A partition that has lost
 * tuples has none of them any more, so what is found is right even with an old map; what is not found is looked for in
 * the partitions to which it may have gone. Thread-safe.
 */
final class Takes {
    private static final Logger LOG = LoggerFactory.getLogger(Takes.class);

    private final Router router;
    private final Joints joints;
    private final Lock visible;

    Takes(Router router, Joints joints, Lock visible) {
        this.router = router;
        this.joints = joints;
        this.visible = visible;
    }

    /** The partitions still to ask, whose number may grow. */
    private final class Round {
        private final Template<?> template;
        private final long offset = ThreadLocalRandom.current().nextInt(PartitionMap.MOST);
        private long asked;

        Round(Template<?> template) {
            this.template = template;
        }

        /** Returns the next partition; begins anywhere, so that those who take do not all meet in one. */
        Optional<Partition> next() {
            long left = router.keys.candidates(template, router.map()) & ~asked;
            if (left == 0) {
                return Optional.empty();
            }
            int next = (int) (Long.numberOfTrailingZeros(Long.rotateRight(left, (int) offset)) + offset)
                    % PartitionMap.MOST;
            asked |= 1L << next;
            return Optional.of(router.partition(next));
        }
    }

    <T> Attempt<T> attempt(Template<T> template, boolean isTake, Optional<Joint> joint) {
        boolean isHeld = false;
        Round round = new Round(template);
        for (Optional<Partition> next = round.next(); next.isPresent(); next = round.next()) {
            Attempt<T> attempt = attempt(next.get(), template, isTake, joint);
            if (attempt instanceof Attempt.Hit) {
                return attempt;
            }
            isHeld |= attempt instanceof Attempt.Held;
            router.look(next.get());
        }
        return isHeld ? new Attempt.Held<>() : new Attempt.Miss<>();
    }

    private <T> Attempt<T> attempt(Partition partition, Template<T> template, boolean isTake, Optional<Joint> joint) {
        if (joint.isEmpty() && isTake) {
            Attempt<T> taken = partition.naming(() -> partition.store.attempt(template, true, Store.NONE));
            if (taken instanceof Attempt.Hit) {
                router.epochs.changed(partition);
            }
            return taken;
        }
        if (joint.isEmpty() || !joints.has(joint.get(), partition)) {
            Attempt<T> seen = seen(partition, template);
            if (joint.isEmpty() || seen instanceof Attempt.Miss) {
                return seen;
            }
        }
        long part = joints.part(joint.get(), partition);
        Attempt<T> attempt = partition.naming(() -> partition.store.attempt(template, isTake, part));
        if (isTake && attempt instanceof Attempt.Hit) {
            joints.changed(joint.get(), partition);
        }
        return attempt;
    }

    private <T> Attempt<T> seen(Partition partition, Template<T> template) {
        visible.lock();
        try {
            return partition.store.attempt(template, false, Store.NONE);
        } finally {
            visible.unlock();
        }
    }

    /** Returns whether a partition can have tuples for a transaction. */
    private boolean isOfUse(Partition partition, Template<?> template, Joint joint) {
        return joints.has(joint, partition) || !(seen(partition, template) instanceof Attempt.Miss);
    }

    <T> List<Owned<T>> takeOwned(Template<T> template, int max, Optional<Joint> joint) {
        List<Owned<T>> taken = new ArrayList<>();
        Round round = new Round(template);
        for (Optional<Partition> next = round.next(); next.isPresent() && taken.size() < max; next = round.next()) {
            Partition partition = next.get();
            try {
                if (joint.isEmpty()) {
                    List<Owned<T>> some = partition
                            .naming(() -> partition.store.takeOwned(template, max - taken.size(), Store.NONE));
                    taken.addAll(some);
                    if (!some.isEmpty()) {
                        router.epochs.changed(partition);
                    }
                } else if (isOfUse(partition, template, joint.get())) {
                    joints.changed(joint.get(), partition);
                    long part = joints.part(joint.get(), partition);
                    taken.addAll(partition.naming(() -> partition.store.takeOwned(template, max - taken.size(), part)));
                }
                router.look(partition);
            } catch (RuntimeException | Error e) {
                boolean isStore = e instanceof SpaceException;
                if (taken.isEmpty() || !isStore && joint.isPresent()) {
                    // A transaction that ends without a commit gives back what it has taken.
                    throw e;
                }
                // The caller must get the tuples that are taken, also if its own predicate failed.
                LOG.warn("only {} tuples were taken: {}", taken.size(), e.toString());
                return taken;
            }
        }
        return taken;
    }

    /**
     * Takes all matches; if that fails after some, the whole transaction is undone.
     *
     * @param each receives each partition before its tuples are removed
     */
    long remove(Template<?> template, Joint joint, Consumer<Partition> each) {
        long count = 0;
        boolean isDone = false;
        try {
            Round round = new Round(template);
            for (Optional<Partition> next = round.next(); next.isPresent(); next = round.next()) {
                Partition partition = next.get();
                if (isOfUse(partition, template, joint)) {
                    each.accept(partition);
                    long part = joints.part(joint, partition);
                    long removed = partition.naming(() -> partition.store.remove(template, part));
                    if (removed > 0) {
                        joints.changed(joint, partition);
                    }
                    count += removed;
                }
                router.look(partition);
            }
            isDone = true;
            return count;
        } finally {
            if (!isDone && count > 0) {
                joints.end(joint.id, false);
            }
        }
    }
}
