// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailedException;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Walks trees, with the threads of one walk or with ranks that share it. */
@Api
public interface Walker {

    /** Returns the options of its walks. */
    WalkOptions options();

    /** Returns whether other processes do a part of each walk, so that its result covers only a part of the whole. */
    default boolean isPart() {
        return false;
    }

    /**
     * Walks everything below the roots. Returns when all entries are done or, after a visitor returned QUIT, the token
     * was cancelled or this thread was interrupted, when the entries in progress are finished. An interrupt leaves the
     * interrupt status set.
     *
     * @param roots the trees, walked at the same time; one that lies in another is walked twice
     * @param visitors creates a visitor for each thread, on that thread
     * @param cancellation ends the walk early
     * @return the visitors, each with the data it collected, and whether the walk is complete
     * @throws EntryFailedException if an entry cannot be read and its visitor does not override
     *         {@link TreeVisitor#failed}
     */
    default <V extends TreeVisitor> WalkResult<V> walk(List<Root> roots, Supplier<V> visitors,
            Cancellation cancellation) {
        WalkResult<VisitorHandler<V>> result = walkWith(roots,
                worker -> new VisitorHandler<>(visitors.get(), options().status()), cancellation);
        return new WalkResult<>(result.workers().stream().map(VisitorHandler::visitor).toList(), result.isComplete());
    }

    /**
     * Walks everything below the roots with handlers, which work by descriptor.
     *
     * @param handlers creates a handler for each thread, on that thread, given its worker
     * @param watcher receives a view of the workers before the first begins; any thread may call their
     *        {@link WalkWorker#current()}
     * @return the handlers, each with the data it collected
     */
    @Internal
    <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher);

    /**
     * Walks everything below the roots with handlers; see the method with a watcher.
     *
     * @param progress shows the entries in progress; the handlers count those that are done
     */
    @Internal
    default <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Progress progress) {
        try {
            return walkWith(roots, handlers, cancellation, workers -> progress
                    .setBusy(() -> workers.stream().map(WalkWorker::current).flatMap(Optional::stream).toList()));
        } finally {
            // The caller may keep the progress for long, and with it all that the workers refer to.
            progress.setBusy(List::of);
        }
    }

    /** Walks everything below the roots with handlers; see the method with a watcher. */
    @Internal
    default <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation) {
        return walkWith(roots, handlers, cancellation, workers -> {
        });
    }
}
