// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Ensures that only one process at a time indexes into a space that is not in a directory: a tuple of the space, which
 * a run takes in a transaction. The transaction ends with the process, on a server at once and over several stores when
 * its lease ends, and the tuple is back.
 */
final class IndexGuard {

    private static final Logger LOG = LoggerFactory.getLogger(IndexGuard.class);
    private static final Template<Guard> GUARD = Template.of(Guard.class);
    /**
     * Three times as long as an operation over several partitions lasts without a sign of life of its process, so that
     * the changes of a stopped process are undone before another run begins.
     */
    private static final Duration LEASE = Duration.ofMinutes(3);
    private static final Duration RENEWAL = Duration.ofSeconds(20);

    /**
     * The tuple.
     *
     * @param version number of this way to keep runs apart
     */
    record Guard(int version) {}

    private IndexGuard() {}

    /**
     * Runs work while it has the tuple; writes the tuple if there is none.
     *
     * @throws IndexException when another process has it
     */
    static <R> R holding(TupleSpace space, SpaceUri name, IndexLock.Work<R> work) throws IndexException {
        try (Transaction transaction = space.begin(Lease.FOREVER)) {
            take(space, transaction, name, "");
            return work.run();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    /**
     * Does the same in a space whose transactions do not end with their process: by a lease that is renewed.
     *
     * @param space used for nothing else in the meantime
     */
    static <R> R leased(TupleSpace space, SpaceUri name, IndexLock.Work<R> work) throws IndexException {
        try (Transaction transaction = space.begin(LEASE)) {
            take(space, transaction, name, ", three minutes if it was killed");
            CountDownLatch end = new CountDownLatch(1);
            Thread renewing = Thread.ofPlatform()
                    .daemon()
                    .name("treehaul-index-guard")
                    .start(() -> renew(transaction.lease(), end));
            try {
                return work.run();
            } finally {
                end.countDown();
                renewing.join();
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static void renew(Lease lease, CountDownLatch end) {
        try {
            while (!end.await(RENEWAL.toMillis(), TimeUnit.MILLISECONDS)) {
                try {
                    lease.renew(LEASE);
                } catch (SpaceException e) {
                    LOG.debug("the lease of an index run was not renewed: {}", e.toString());
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void take(TupleSpace space, Transaction transaction, SpaceUri name, String atMost)
            throws IndexException, InterruptedException {
        space.atomically(alone -> isAbsent(alone) ? alone.write(new Guard(1)) : alone);
        if (!transaction.takeIfExists(GUARD, Duration.ZERO).isFound()) {
            throw new IndexException("the space " + name + " is being indexed by another process; wait until that has"
                    + " ended" + atMost + ", or use another space");
        }
    }

    private static boolean isAbsent(TupleOperations alone) {
        try {
            return alone.readIfExists(GUARD, Duration.ZERO) instanceof Result.Empty;
        } catch (InterruptedException e) {
            throw new UncheckedIOException(interrupted(e));
        }
    }

    private static IndexException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IndexException("interrupted before the index was locked", e);
    }
}
