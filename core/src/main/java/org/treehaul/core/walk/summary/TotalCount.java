// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk.summary;

import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.LongAdder;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.Entry;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.InodeSet;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.TreeVisitor;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Counts the total work on one thread while the work is done, so that its end can be predicted. Unreadable entries are
 * left out: the work itself reports them. Any thread may read the counts.
 */
public final class TotalCount implements AutoCloseable {

    /** Receives what is counted. */
    public interface Receiver {

        /** Receives an entry, on the thread that counts. */
        void entry(Entry entry);

        /** Reports that all entries were counted, on the thread that counts. */
        void complete();
    }

    /**
     * The work that the bytes of a file are.
     *
     * @param passes how often the data of a file are transferred: twice if they are verified
     * @param skipsHoles whether holes are no work, so that only the data of a sparse file count
     * @param linksOnce whether the data of a file with several names are transferred once
     */
    public record Work(int passes, boolean skipsHoles, boolean linksOnce) {}

    /**
     * The total work, as far as it was counted.
     *
     * @param entries all entries
     * @param bytes bytes of data of all files
     * @param passes how often the data are transferred: twice if they are verified
     * @param isFinal whether everything was counted
     */
    public record Total(long entries, long bytes, int passes, boolean isFinal) {

        /** Returns the bytes to transfer. */
        public long work() {
            return bytes * passes;
        }
    }

    private final LongAdder entries = new LongAdder();
    private final LongAdder bytes = new LongAdder();
    private final Work work;
    private final InodeSet seen = new InodeSet();
    private final DataBytes data = new DataBytes();
    private final Cancellation end = new Cancellation();
    private final @Nullable Receiver receiver;
    private final Thread thread;
    private volatile boolean isComplete;

    private TotalCount(FileSystemCalls calls, WalkOptions options, List<Root> roots, Work work,
            @Nullable Receiver receiver) {
        this.work = work;
        this.receiver = receiver;
        TreeWalker walker = TreeWalker.of(calls, options.withThreads(1));
        thread = Thread.ofPlatform().name("treehaul-count").daemon().unstarted(() -> {
            boolean isWhole = walker.walk(roots, Counter::new, end).isComplete();
            if (isWhole && receiver != null) {
                receiver.complete();
            }
            isComplete = isWhole;
        });
    }

    /**
     * Starts counting.
     *
     * @param options the options of the walk, apart from the number of threads
     */
    public static TotalCount start(FileSystemCalls calls, WalkOptions options, List<Root> roots, Work work) {
        return started(new TotalCount(calls, options, roots, work, null));
    }

    /** Starts counting, and passes what is counted to a receiver. */
    public static TotalCount start(FileSystemCalls calls, WalkOptions options, List<Root> roots, Work work,
            Receiver receiver) {
        return started(new TotalCount(calls, options, roots, work, receiver));
    }

    private static TotalCount started(TotalCount count) {
        count.thread.start();
        return count;
    }

    /** Waits until the entries are counted, or counting has ended early. */
    public void await() throws InterruptedException {
        thread.join();
    }

    private final class Counter implements TreeVisitor {

        @Override
        public Step visit(Entry entry) {
            return count(entry);
        }

        @Override
        public void failed(EntryFailure failure) {
            // The work itself reports it.
        }
    }

    private Step count(Entry entry) {
        entries.increment();
        if (receiver != null) {
            receiver.entry(entry);
        }
        if (entry.kind() == EntryKind.REGULAR) {
            entry.status().ifPresent(status -> bytes.add(work(status)));
        }
        return Step.CONTINUE;
    }

    private long work(FileStatus status) {
        data.saw(status);
        if (work.linksOnce() && status.linkCount() > 1 && !seen.add(status.device(), status.inode())) {
            return 0;
        }
        return work.skipsHoles() ? data.of(status) : status.size();
    }

    /** Returns the number of all entries; empty until they are counted. */
    public OptionalLong entries() {
        return isComplete ? OptionalLong.of(entries.sum()) : OptionalLong.empty();
    }

    /** Returns the work that was counted so far. */
    public Total total() {
        boolean isFinal = isComplete;
        return new Total(entries.sum(), bytes.sum(), work.passes(), isFinal);
    }

    /** Ends counting, without waiting for its thread. */
    @Override
    public void close() {
        end.cancel();
    }
}
