// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.report;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.Cancellation;
import org.treehaul.core.walk.Root;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkOptions;

/**
 * Counts on one thread how much there is to do, while the work goes on and so that its end can be foretold. What it
 * cannot read it leaves out: the work itself reports that.
 */
public final class TotalCount implements AutoCloseable {

    private final LongAdder entries = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final int passes;
    private final Cancellation end = new Cancellation();
    private volatile boolean isComplete;

    /**
     * Starts to count.
     *
     * @param passes how often the data of a file are moved: twice when they are read back
     */
    public TotalCount(FileSystemCalls calls, WalkOptions options, List<Root> roots, int passes) {
        this.passes = passes;
        TreeWalker walker = TreeWalker.of(calls, options.withThreads(1));
        Thread.ofPlatform().name("treehaul-count").daemon().start(() -> {
            isComplete = walker.<TreeVisitor>walk(roots, () -> this::count, end).isComplete();
        });
    }

    private Step count(Entry entry) {
        entries.increment();
        if (entry.kind() == EntryKind.REGULAR) {
            entry.status().ifPresent(status -> bytes.add(status.size()));
        }
        return Step.CONTINUE;
    }

    ProgressLine.Total total() {
        boolean isFinal = isComplete;
        return new ProgressLine.Total(entries.sum(), bytes.sum() * passes, isFinal);
    }

    @Override
    public void close() {
        end.cancel();
    }
}
