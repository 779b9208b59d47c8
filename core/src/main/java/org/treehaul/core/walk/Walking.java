// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Something that walks trees: the threads of one walk, or ranks that share it. */
public interface Walking {

    /** Returns how it walks. */
    WalkOptions options();

    /** Returns whether other processes do a part of each walk, so that its result is only a part of the whole. */
    default boolean isPart() {
        return false;
    }

    /**
     * Walks everything below the roots and returns when all is done, or when a visitor said QUIT or the token was
     * cancelled and what was in hand is finished.
     *
     * @param visitors makes a visitor for each thread
     * @return the visitors, each with what it gathered
     */
    default <V extends TreeVisitor> WalkResult<V> walk(List<Root> roots, Supplier<V> visitors,
            Cancellation cancellation) {
        WalkResult<VisitorHandler<V>> result = walkWith(roots,
                worker -> new VisitorHandler<>(visitors.get(), options().status()), cancellation, workers -> {
                });
        return new WalkResult<>(result.workers().stream().map(VisitorHandler::visitor).toList(), result.isComplete());
    }

    /**
     * Walks everything below the roots with handlers, which work by descriptor.
     *
     * @param handlers makes a handler for each thread, on that thread, given its worker
     * @param watcher is given a view of the workers before the first begins; their {@link WalkWorker#current()} may be
     *        asked by any thread
     * @return the handlers, each with what it gathered
     */
    <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher);
}
