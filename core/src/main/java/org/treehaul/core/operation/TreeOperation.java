// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.util.List;
import java.util.Optional;

import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkOptions;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;

/** Performs an operation on all entries of trees, by the threads of this process. */
public final class TreeOperation {

    private final FileSystemCalls calls;
    private final EntryOperation operation;
    private final WalkOptions options;
    private Optional<String> action = Optional.empty();

    private TreeOperation(FileSystemCalls calls, EntryOperation operation, WalkOptions options) {
        this.calls = calls;
        this.operation = operation;
        this.options = options;
    }

    /** Returns an instance that walks with the given options. */
    public static TreeOperation of(FileSystemCalls calls, EntryOperation operation, WalkOptions options) {
        return new TreeOperation(calls, operation, options);
    }

    /** Sends an event with this word for each entry that is done. */
    public TreeOperation withEvents(String word) {
        action = Optional.of(word);
        return this;
    }

    /**
     * Performs the operation: on each directory after everything in it, and on no directory in which an entry failed.
     *
     * @param listener receives failures, on any thread
     * @param progress counts the entries done
     * @return whether all entries were tried; false after a cancellation
     */
    public boolean run(List<Root> roots, EventListener listener, Progress progress, Cancellation cancellation) {
        FailedPlaces failed = new FailedPlaces();
        WalkResult<OperationHandler> result = TreeWalker.of(calls, options)
                .walkWith(roots,
                        (WalkWorker<Boolean> worker) -> new OperationHandler(operation, roots, failed, action, listener,
                                progress),
                        cancellation, workers -> progress.setBusy(
                                () -> workers.stream().map(WalkWorker::current).flatMap(Optional::stream).toList()));
        progress.setBusy(List::of);
        return result.isComplete();
    }
}
