// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.util.function.LongFunction;

import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

/** Several operations on one store in one step. */
final class Alone {

    private Alone() {}

    /** Does work in a transaction of this thread alone, and commits unless it fails. */
    static <R> R in(Store store, LongFunction<R> work) {
        long alone = store.beginAlone();
        boolean isDone = false;
        try {
            R result = work.apply(alone);
            isDone = store.commit(alone);
            if (!isDone) {
                throw new SpaceException(SpaceException.Reason.TRANSACTION_ENDED, "the step was undone");
            }
            return result;
        } finally {
            if (!isDone) {
                store.abort(alone);
            }
        }
    }
}
