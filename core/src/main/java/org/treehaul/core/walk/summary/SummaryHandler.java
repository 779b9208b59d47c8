// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.SeenStatuses;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;

/** Sums up the entries that one thread finds, without an object for a regular file with one name. */
final class SummaryHandler implements WalkHandler<Boolean> {

    private final FileQuery where;
    private final FoundValues values;
    private final List<Root> roots;
    private final InodeSet linked;
    private final ProgressPart progress;
    private final Consumer<EntryFailure> listener;
    private final SummaryCounts counts = new SummaryCounts();
    // Its bytes are made once: in a chain, each directory is deeper than all before.
    private @Nullable TreePath deepest;
    private int deepestRoot;
    private final Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);

    SummaryHandler(FileQuery where, List<Root> roots, InodeSet linked, boolean isPart, Progress progress,
            Consumer<EntryFailure> listener) {
        this.where = where;
        this.values = new FoundValues(roots);
        this.roots = roots;
        this.linked = linked;
        this.progress = new ProgressPart(progress);
        this.listener = listener;
        if (isPart) {
            counts.keepLinked();
        }
    }

    /** Returns the counts, after the walk. */
    SummaryCounts counts() {
        TreePath path = deepest;
        if (path != null) {
            counts.deepest = extreme(deepestRoot, path, path.depth());
        }
        return counts;
    }

    Map<EntryFailure.Kind, Long> failures() {
        return failures;
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        FileStatus status = found.status();
        // The walk itself has skipped other entries.
        if (status.kind() == EntryKind.DIRECTORY && !where.matches(values.of(found))) {
            return Step.CONTINUE;
        }
        counts.count(status, linked);
        WalkDirectory<Boolean> parent = found.parent();
        int depth = parent == null ? 0 : parent.path().depth() + 1;
        if (counts.isLargest(status)) {
            counts.largest = extreme(found.rootIndex(), found.path(), status.size());
        }
        if (isDeepest(depth)) {
            deepest = found.path();
            deepestRoot = found.rootIndex();
        }
        progress.entryDone(status.kind(), status.size());
        return Step.CONTINUE;
    }

    // Nearly all entries of most trees are regular files with one name.
    @Override
    public int readAhead(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker, int count) {
        SeenStatuses statuses = worker.access().seen();
        int counted = 0;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            if (statuses.isFileWithOneName(i)) {
                counted |= 1 << i;
                long size = statuses.size(i);
                bytes += size;
                counts.countFile(size, statuses.blocks(i));
                if (counts.isLargest(size)) {
                    counts.largest = extreme(directory.rootIndex(), path(directory, statuses, i), size);
                }
            }
        }
        if (counted != 0 && isDeepest(directory.path().depth() + 1)) {
            deepest = path(directory, statuses, Integer.numberOfTrailingZeros(counted));
            deepestRoot = directory.rootIndex();
        }
        progress.filesDone(Integer.bitCount(counted), bytes);
        return counted;
    }

    private boolean isDeepest(int depth) {
        TreePath known = deepest;
        return known == null || depth > known.depth();
    }

    private static TreePath path(WalkDirectory<Boolean> directory, SeenStatuses statuses, int index) {
        return directory.path().child(statuses.copyOfName(index));
    }

    private TreeSummary.Extreme extreme(int rootIndex, TreePath path, long value) {
        return new TreeSummary.Extreme(path.below(roots.get(rootIndex).path()), value);
    }

    @Override
    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return Boolean.TRUE;
    }

    @Override
    public void idle(WalkWorker<Boolean> worker) {
        progress.publish();
    }

    @Override
    public void finished(WalkWorker<Boolean> worker) {
        progress.publish();
    }

    @Override
    public boolean readsAhead() {
        return true;
    }

    @Override
    public boolean needsDirectoryStatus() {
        return false;
    }

    @Override
    public void failed(EntryFailure failure) {
        failures.merge(failure.kind(), 1L, Long::sum);
        listener.accept(failure);
    }
}
