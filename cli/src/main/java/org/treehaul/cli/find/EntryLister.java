// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Output;
import org.treehaul.core.condition.FileField;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.condition.NumberSet;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.ProgressPart;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.locality.Locality;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.FoundValues;
import org.treehaul.core.walk.Step;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.options.Root;

/** Lists the entries of a walk that meet its conditions. */
public final class EntryLister implements WalkHandler<byte[]> {

    private static final byte[] NOTHING = {};

    private final Session session;
    private final List<Root> roots;
    private final Output output;
    private final FileQuery where;
    private final long lastDepth;
    // Null without a limit: threads that decrement the same number for each entry wait for each other.
    private final @Nullable AtomicLong left;
    private final ProgressPart progress;
    private final EntrySink sink;
    private final FoundValues values;

    private EntryLister(Session session, Output output, List<Root> roots, FileQuery where, @Nullable AtomicLong left,
            EntrySink sink) {
        this.session = session;
        this.roots = roots;
        this.output = output;
        this.where = where;
        this.lastDepth = lastDepth(where);
        this.left = left;
        this.progress = new ProgressPart(session.progress());
        this.sink = sink;
        this.values = new FoundValues(roots);
    }

    // Directories deeper than every entry that can be wanted are not read.
    private static long lastDepth(FileQuery where) {
        NumberSet depths = where.numbers().get(FileField.DEPTH);
        if (depths == null) {
            return Long.MAX_VALUE;
        }
        return depths.ranges().isEmpty() ? 0 : depths.ranges().getLast().high();
    }

    /** Lists all entries on the output of a session, and returns whether the walk ran to its end. */
    public static boolean list(Session session, Walker walking, List<Root> roots, boolean endsWithNul) {
        return list(session, session.output(), walking, roots, () -> EntrySink.of(session, endsWithNul),
                Long.MAX_VALUE);
    }

    /** Does the same as {@link #list}, and lists the servers of the data of each entry. */
    public static boolean listLocated(Session session, Walker walking, List<Root> roots, boolean endsWithNul) {
        Locality locality = Locality.over(Linux.calls());
        return list(session, session.output(), walking, roots, () -> LocatedSink.of(session, endsWithNul, locality),
                Long.MAX_VALUE);
    }

    /** The entries of trees. */
    record OfTrees(Session session, Walker walker, List<Root> roots) implements FindRun.Source {

        @Override
        public boolean list(Output output, Supplier<EntrySink> sinks, long limit) {
            return EntryLister.list(session, output, walker, roots, sinks, limit);
        }
    }

    /**
     * Lists entries, and returns whether all wanted ones were found.
     *
     * @param output the output to which the sinks write; the walk ends when it has no reader
     * @param sinks makes a sink for each thread
     * @param limit the most entries to list
     */
    private static boolean list(Session session, Output output, Walker walking, List<Root> roots,
            Supplier<EntrySink> sinks, long limit) {
        AtomicLong left = limit == Long.MAX_VALUE ? null : new AtomicLong(limit);
        WalkResult<EntryLister> result = walking.walkWith(roots,
                worker -> new EntryLister(session, output, roots, walking.options().where(), left, sinks.get()),
                session.cancellation(), session.progress());
        result.workers().forEach(lister -> lister.sink.flush());
        return result.isComplete() || left != null && left.get() <= 0;
    }

    @Override
    public Step entry(FoundEntry<byte[]> found) throws SystemCallException {
        boolean isDirectory = found.kind() == EntryKind.DIRECTORY;
        // The walk itself has skipped other entries.
        if ((!isDirectory || where.matches(values.of(found))) && !isWritten(found)) {
            return Step.QUIT;
        }
        progress.entryDone(found.kind(), 0);
        if (!output.isUsable() || left != null && left.get() <= 0) {
            return Step.QUIT;
        }
        return isDirectory && lastDepth < Integer.MAX_VALUE && values.of(found).depth() >= lastDepth
                ? Step.SKIP
                : Step.CONTINUE;
    }

    // Returns whether the limit allowed it. With a limit one thread at a time, because an entry that fails does not count.
    private boolean isWritten(FoundEntry<byte[]> found) throws SystemCallException {
        WalkDirectory<byte[]> parent = found.parent();
        byte[] prefix = parent == null ? NOTHING : parent.attachment();
        if (left == null) {
            sink.write(prefix, found);
            return true;
        }
        synchronized (left) {
            if (left.get() <= 0) {
                return false;
            }
            sink.write(prefix, found);
            left.decrementAndGet();
            return true;
        }
    }

    @Override
    public byte[] enter(WalkDirectory<byte[]> directory, WalkWorker<byte[]> worker) {
        WalkDirectory<byte[]> parent = directory.parent();
        byte[] head = parent == null ? NOTHING : parent.attachment();
        byte[] name = parent == null ? roots.get(directory.rootIndex()).path().toBytes() : directory.path().nameBytes();
        boolean needsSlash = name[name.length - 1] != '/';
        byte[] prefix = Arrays.copyOf(head, head.length + name.length + (needsSlash ? 1 : 0));
        System.arraycopy(name, 0, prefix, head.length, name.length);
        prefix[prefix.length - 1] = '/';
        return prefix;
    }

    // With a limit, the first entries are mostly enough.
    @Override
    public boolean readsAhead() {
        return left == null && !where.isAll();
    }

    // Another thread could otherwise write what is in a directory before the line of the directory itself.
    @Override
    public void beforeSharing() {
        sink.flush();
    }

    @Override
    public boolean needsDirectoryStatus() {
        return false;
    }

    @Override
    public void idle(WalkWorker<byte[]> worker) {
        progress.publish();
    }

    @Override
    public void finished(WalkWorker<byte[]> worker) {
        progress.publish();
    }

    @Override
    public void failed(EntryFailure failure) {
        session.progress().entryFailed();
        session.onEvent(new Event.Failed(failure));
    }
}
