// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.work;

import java.time.Duration;
import java.util.Optional;

import org.treehaul.schedulers.pool.submitter.ChildProgram;

/**
 * The settings of a worker of a pool.
 *
 * @param threads the number of threads; 0 for the options of each transfer
 * @param lease the time without a sign of life after which the batches of the worker are back in the space
 * @param turn the time after which the worker looks whether another transfer is due, if its batches are short
 * @param retry the time after which the worker tries again what it could not do
 * @param idle the time without any transfer after which the worker ends; {@link #FOREVER} for never
 * @param children the program by which a worker of root carries out the transfers of other users; empty if it leaves
 *        them alone
 */
public record PoolSettings(int threads, Duration lease, Duration turn, Duration retry, Duration idle,
        Optional<ChildProgram> children) {

    /** Never ends because it is idle. */
    public static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    /** Checks the values. */
    public PoolSettings {
        if (threads < 0 || lease.toMillis() < 100 || turn.isNegative() || retry.toMillis() < 1 || idle.isNegative()) {
            throw new IllegalArgumentException("settings of a worker out of range: " + threads + ", " + lease + ", "
                    + turn + ", " + retry + ", " + idle);
        }
    }

    /** Returns the defaults: a lease of a minute, turns of a second, another try after a minute. */
    public static PoolSettings defaults() {
        return new PoolSettings(0, Duration.ofMinutes(1), Duration.ofSeconds(1), Duration.ofMinutes(1), FOREVER,
                Optional.empty());
    }

    /** Returns a copy with another number of threads. */
    public PoolSettings withThreads(int number) {
        return new PoolSettings(number, lease, turn, retry, idle, children);
    }

    /** Returns a copy that ends when there was no transfer for this time. */
    public PoolSettings withIdle(Duration longest) {
        return new PoolSettings(threads, lease, turn, retry, longest, children);
    }

    /** Returns a copy with another lease and another time before a new try. */
    public PoolSettings withLease(Duration time, Duration again) {
        return new PoolSettings(threads, time, turn, again, idle, children);
    }

    /** Returns a copy with turns of another length. */
    public PoolSettings withTurn(Duration time) {
        return new PoolSettings(threads, lease, time, retry, idle, children);
    }

    /** Returns a copy with a program for the transfers of other users. */
    public PoolSettings withChildren(ChildProgram program) {
        return new PoolSettings(threads, lease, turn, retry, idle, Optional.of(program));
    }
}
