// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Progress;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkWorker;

/** Sums up groups of the entries that one thread finds. */
final class GroupHandler<K> implements WalkHandler<Boolean> {

    private final UsageGrouping<K> grouping;
    private final CountedOnce once;
    private final ProgressPart progress;
    private final Consumer<EntryFailure> failures;
    private final Map<K, UsageSums> groups = new HashMap<>();

    /**
     * Creates the handler of a thread.
     *
     * @param progress counts the entries that count
     */
    GroupHandler(UsageGrouping<K> grouping, CountedOnce once, Progress progress, Consumer<EntryFailure> failures) {
        this.grouping = grouping;
        this.once = once;
        this.progress = new ProgressPart(progress);
        this.failures = failures;
    }

    /** Returns the groups of this thread. */
    Map<K, UsageSums> groups() {
        return groups;
    }

    @Override
    public Step entry(FoundEntry<Boolean> found) throws SystemCallException {
        FileStatus status = found.status();
        if (!once.counts(found)) {
            return Step.SKIP;
        }
        progress.entryDone(status.kind(), status.size());
        K key = grouping.keyOf(status, found::nameBytes);
        if (groups.size() >= TreeUsage.MOST_GROUPS && !groups.containsKey(key)) {
            key = grouping.others();
        }
        groups.computeIfAbsent(key, k -> new UsageSums()).add(status);
        return Step.CONTINUE;
    }

    @Override
    public Boolean enter(WalkDirectory<Boolean> directory, WalkWorker<Boolean> worker) {
        return Boolean.TRUE;
    }

    @Override
    public boolean readsAhead() {
        return true;
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
    public void failed(EntryFailure failure) {
        failures.accept(failure);
    }
}
