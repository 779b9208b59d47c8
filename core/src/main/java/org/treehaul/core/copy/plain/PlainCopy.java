// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.plain;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Api;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.options.Preserve;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TotalCount;

/**
 * One copy in this process, from the arguments of cp(1) to its result: refuses a copy that would do harm, can predict
 * its end, and can stop as soon as it is sure that the sources do not fit into the destination.
 *
 * <p>
 * Used by one thread; the copy itself has many.
 */
@Api
public final class PlainCopy {

    private final FileSystemCalls calls;
    private final CopyLayout layout;
    private final CopyOptions options;
    private final EventListener listener;
    private final Progress progress;
    private final Cancellation stop;
    private @Nullable RoomWatch room;

    private PlainCopy(FileSystemCalls calls, CopyLayout layout, CopyOptions options, EventListener listener,
            Progress progress, Cancellation stop) {
        this.calls = calls;
        this.layout = layout;
        this.options = options;
        this.listener = listener;
        this.progress = progress;
        this.stop = stop;
    }

    /**
     * Determines the target of each source. Writes nothing.
     *
     * @param listener receives failures and notices, on any thread
     * @param progress shows the path that is examined, and counts the entries while they are copied
     * @param cancellation ends the copy early
     * @throws CopyRefusedException if the arguments are invalid or the copy would do harm
     */
    public static PlainCopy of(FileSystemCalls calls, CopyArguments arguments, CopyOptions options,
            EventListener listener, Progress progress, Cancellation cancellation) throws CopyRefusedException {
        CopyLayout layout = CopyLayout.of(calls, arguments, options, progress);
        return new PlainCopy(calls, layout, layout.adapt(options), listener, progress, Cancellation.of(cancellation));
    }

    /** Returns the sources with their targets, and the sources that cannot be copied. */
    public CopyLayout layout() {
        return layout;
    }

    /** Returns the options of the copy, {@linkplain CopyLayout#adapt adapted} to its sources. */
    public CopyOptions options() {
        return options;
    }

    /**
     * Reads the free space of the destination, if it is new. A copy that is {@linkplain #count counted} then stops if
     * it is sure not to fit; a shortage that is only likely is a notice.
     */
    public void checkSpace() {
        // A shortage does not end a dry run.
        Cancellation ended = options.dryRun() ? new Cancellation() : stop;
        room = RoomWatch.of(calls, options, layout.pairs(), ended, listener);
    }

    /** Returns whether {@link #count} finds out whether the sources fit into the destination. */
    public boolean isSpaceChecked() {
        return room != null;
    }

    /**
     * Starts to count the total work, on a thread of its own. It reads the status of every entry, which costs calls.
     * The caller closes the count.
     */
    public TotalCount count() {
        List<Root> roots = layout.pairs().stream().map(CopyPair::source).toList();
        TotalCount.Work work = new TotalCount.Work(options.verify() == CopyOptions.Verify.NONE ? 1 : 2,
                options.sparse() != CopyOptions.When.NEVER, options.preserves(Preserve.LINKS));
        return room == null
                ? TotalCount.start(calls, options.walk(), roots, work)
                : TotalCount.start(calls, options.walk(), roots, work, room);
    }

    /** Copies as {@link #copy(Function)} does, with the threads of this process. */
    public CopyResult copy() {
        return copy(walk -> TreeWalker.of(calls, walk));
    }

    /**
     * Reports the sources that cannot be copied, and copies the others, see {@link TreeCopier#copy}. Called once.
     *
     * @param walkers creates the walker, see {@link TreeCopier#withWalking}
     * @return the result of the sources that could be copied; {@link CopyLayout#failures} has the others
     */
    public CopyResult copy(Function<WalkOptions, Walker> walkers) {
        layout.report(listener);
        return TreeCopier.of(calls, options).withWalking(walkers).copy(layout.pairs(), listener, progress, stop);
    }

    /**
     * Returns why a copy was stopped, or, if it was a dry run, would be, as far as its entries are counted. Empty if it
     * is complete, or was stopped for another reason.
     */
    public Optional<String> refusal(CopyResult result) {
        return room != null && (options.dryRun() || !result.isComplete()) ? room.refusal() : Optional.empty();
    }
}
