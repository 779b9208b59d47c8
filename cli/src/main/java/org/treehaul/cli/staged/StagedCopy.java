// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.staged;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.schedulers.stage.StageException;

/** A copy of which one side at least is a stage. */
public final class StagedCopy {

    private final List<StagedPair> pairs;
    private final List<EntryFailure> unplaced;
    private final CopyOptions options;

    private StagedCopy(List<StagedPair> pairs, List<EntryFailure> unplaced, CopyOptions options) {
        this.pairs = pairs;
        this.unplaced = unplaced;
        this.options = options;
    }

    /**
     * Decides where each source goes, as cp does. Nothing is written.
     *
     * @throws CopyRefusedException if the arguments are invalid, or the copy would do harm
     * @throws StageException if a stage cannot be opened
     */
    public static StagedCopy of(StagedPaths paths, CopyArguments arguments, CopyOptions asked)
            throws CopyRefusedException, StageException {
        CopyOptions options = asked.toBuilder().threads(paths.threads()).build();
        StagedLayout layout = new StagedLayout(paths, arguments, options);
        List<StagedPair> pairs = layout.resolve();
        return new StagedCopy(pairs, layout.unplaced(), options);
    }

    /** Returns the sources and the paths of their copies. */
    public List<CopyPair> pairs() {
        return pairs.stream().map(StagedPair::names).toList();
    }

    /** Returns the number of sources that cannot be copied. */
    public int unplaced() {
        return unplaced.size();
    }

    /** Copies all sources, one after another. */
    public CopyResult copy(EventListener listener, Progress progress, Cancellation cancellation) {
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        for (EntryFailure failure : unplaced) {
            failures.merge(failure.kind(), 1L, Long::sum);
            progress.entryFailed();
            listener.onEvent(new Event.Failed(failure));
        }
        boolean isComplete = true;
        for (StagedPair pair : new ArrayList<>(pairs)) {
            if (!isComplete) {
                break;
            }
            CopyResult result = pair.copy(options, listener, progress, cancellation);
            result.failures().forEach((kind, count) -> failures.merge(kind, count, Long::sum));
            isComplete = result.isComplete();
        }
        return new CopyResult(progress.snapshot(), failures, isComplete);
    }
}
