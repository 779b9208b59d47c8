// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/**
 * The transactions of the whole. Each has a transaction of every partition that it uses, which begins when it first
 * uses it and reads the state of the partition first: so the partition is not split before the transaction ends.
 * Thread-safe.
 */
final class Joints {
    /** Lease of a change, in milliseconds: if its process dies, the change is undone then. */
    static final long LEASE = Duration.ofMinutes(1).toMillis();

    private final Router router;
    private final JointCommit commit;
    private final InstantSource clock;
    private final Map<Long, Joint> joints = new ConcurrentHashMap<>();
    private final AtomicLong last = new AtomicLong();

    Joints(Router router, JointCommit commit, InstantSource clock) {
        this.router = router;
        this.commit = commit;
        this.clock = clock;
    }

    /** Begins the transaction of a change that {@link #keep} keeps until it ends. */
    Joint begin() {
        return begin(clock.millis() + LEASE);
    }

    Joint begin(long expiresAt) {
        Joint joint = new Joint(last.incrementAndGet(), expiresAt);
        joints.put(joint.id, joint);
        return joint;
    }

    /** Returns a live transaction; throws TRANSACTION_ENDED if it has ended. */
    Joint get(long id) {
        Joint joint = joints.get(id);
        if (joint != null) {
            synchronized (joint) {
                if (joint.expiresAt <= clock.millis()) {
                    end(joint, false);
                }
                if (!joint.isEnded) {
                    return joint;
                }
            }
        }
        throw ended();
    }

    private static SpaceException ended() {
        return new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the transaction has ended");
    }

    /** Returns the transaction of a partition that belongs to one of the whole; begins it if there is none. */
    long part(Joint joint, Partition partition) {
        synchronized (joint) {
            if (joint.isEnded) {
                throw ended();
            }
            Long known = joint.parts.get(partition.number);
            if (known != null) {
                return known;
            }
            long part = partition.begin(joint.id, joint.expiresAt);
            try {
                router.await(partition, part);
            } catch (RuntimeException | Error e) {
                abort(joint, partition, part, e);
                throw e;
            }
            joint.parts.put(partition.number, part);
            return part;
        }
    }

    /**
     * Aborts the transaction of a partition. If that fails, the whole ends, and the sweep aborts what is left of it.
     */
    private static void abort(Joint joint, Partition partition, long part, Throwable reason) {
        try {
            partition.end(part, false);
        } catch (RuntimeException e) {
            reason.addSuppressed(e);
            joint.parts.put(partition.number, part);
            joint.isEnded = true;
        }
    }

    boolean has(Joint joint, Partition partition) {
        synchronized (joint) {
            return joint.parts.containsKey(partition.number);
        }
    }

    void changed(Joint joint, Partition partition) {
        synchronized (joint) {
            joint.changed.add(partition.number);
        }
    }

    /** Sets a new end; returns false when the transaction has ended. */
    boolean renew(long id, long expiresAt) {
        Joint joint = joints.get(id);
        if (joint == null) {
            return false;
        }
        synchronized (joint) {
            if (joint.isEnded || joint.expiresAt <= clock.millis()) {
                return false;
            }
            joint.expiresAt = expiresAt;
            for (Map.Entry<Integer, Long> part : joint.parts.entrySet()) {
                if (!router.partition(part.getKey()).store.renewTransaction(part.getValue(), expiresAt)) {
                    end(joint, false);
                    return false;
                }
            }
            return true;
        }
    }

    /**
     * Renews the lease of a change that takes long, if it is time for that.
     *
     * @param step milliseconds that the next step takes, in which the lease cannot be renewed
     */
    void keep(long id, long step) {
        Joint joint = joints.get(id);
        if (joint != null) {
            synchronized (joint) {
                long now = clock.millis();
                if (joint.expiresAt < now + LEASE / 2 + step) {
                    renew(id, now + LEASE + step);
                }
            }
        }
    }

    /** Ends a transaction; returns false when it has already ended. */
    boolean end(long id, boolean isCommit) {
        Joint joint = joints.get(id);
        if (joint == null) {
            return false;
        }
        synchronized (joint) {
            boolean isOver = joint.expiresAt <= clock.millis();
            boolean wasLive = end(joint, isCommit && !isOver);
            return wasLive && !isOver;
        }
    }

    private boolean end(Joint joint, boolean isCommit) {
        boolean wasLive = !joint.isEnded;
        joint.isEnded = true;
        try {
            if (wasLive) {
                return commit.end(joint, isCommit);
            }
            commit.abort(joint, true);
            return false;
        } finally {
            // Otherwise a partition did not answer, and keeps its tuples from others until the next attempt.
            if (joint.parts.isEmpty()) {
                joints.remove(joint.id);
            }
        }
    }

    /**
     * Aborts the transactions whose leases have ended, and what is left of others that could not be ended, and returns
     * when the next lease ends.
     */
    long endDue() {
        long now = clock.millis();
        long next = Store.NEVER;
        for (Joint joint : List.copyOf(joints.values())) {
            synchronized (joint) {
                if (joint.isEnded || joint.expiresAt <= now) {
                    end(joint, false);
                } else {
                    next = Math.min(next, joint.expiresAt);
                }
            }
        }
        return next;
    }
}
