// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.io.UncheckedIOException;
import java.time.Duration;

import org.treehaul.tuplespace.Lease;
import org.treehaul.tuplespace.Result;
import org.treehaul.tuplespace.Transaction;
import org.treehaul.tuplespace.TupleOperations;
import org.treehaul.tuplespace.TupleSpace;
import org.treehaul.tuplespace.store.SpaceUri;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Ensures that only one process at a time indexes into a space that is not in a directory: a tuple of the space, which
 * a run takes in a transaction. The transaction ends with the process, and the tuple is back.
 */
final class IndexGuard {

    private static final Template<Guard> GUARD = Template.of(Guard.class);

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
            space.atomically(alone -> isAbsent(alone) ? alone.write(new Guard(1)) : alone);
            if (!transaction.takeIfExists(GUARD, Duration.ZERO).isFound()) {
                throw new IndexException("the space " + name
                        + " is being indexed by another process; wait until that has" + " ended, or use another space");
            }
            return work.run();
        } catch (InterruptedException e) {
            throw interrupted(e);
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
