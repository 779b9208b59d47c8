// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.store;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import org.treehaul.core.annotation.Internal;

/** The threads whose changes of a store are no events at the moment; see {@link Store#quietly}. Thread-safe. */
@Internal
public final class QuietThreads {
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();

    /** Does work of this thread, which may already be quiet. */
    public <R> R run(Supplier<R> work) {
        boolean isFirst = threads.add(Thread.currentThread());
        try {
            return work.get();
        } finally {
            if (isFirst) {
                threads.remove(Thread.currentThread());
            }
        }
    }

    /** Returns whether this thread is quiet. */
    public boolean hasThis() {
        return !threads.isEmpty() && threads.contains(Thread.currentThread());
    }
}
