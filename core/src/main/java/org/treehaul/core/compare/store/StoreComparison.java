// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare.store;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.compare.CompareOptions;
import org.treehaul.core.compare.CompareResult;
import org.treehaul.core.compare.Difference;
import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.compare.DifferenceListener;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.walk.frontier.Frontier;

/** The parts that the threads of one comparison share. Safe for any number of threads. */
final class StoreComparison {

    private final CompareOptions options;
    private final ByteString a;
    private final ByteString b;
    private final DifferenceListener listener;
    private final EventListener events;
    private final Progress progress;
    private final Cancellation stop;
    private final Frontier<ComparedDirectory> frontier;
    private final Map<DifferenceKind, Long> differences = new ConcurrentHashMap<>();
    private final Map<EntryFailure.Kind, Long> failures = new ConcurrentHashMap<>();

    StoreComparison(CompareOptions options, ByteString a, ByteString b, DifferenceListener listener,
            EventListener events, Progress progress, Cancellation cancellation) {
        this.options = options;
        this.a = a;
        this.b = b;
        this.listener = listener;
        this.events = events;
        this.progress = progress;
        this.stop = Cancellation.of(cancellation);
        this.frontier = new Frontier<>(options.threads(), options.threads());
    }

    CompareOptions options() {
        return options;
    }

    Progress progress() {
        return progress;
    }

    Frontier<ComparedDirectory> frontier() {
        return frontier;
    }

    boolean isStopped() {
        return stop.isCancelled();
    }

    void stop() {
        stop.cancel();
        frontier.stop();
    }

    void differs(Difference difference) {
        if (options.compares(difference.kind())) {
            differences.merge(difference.kind(), 1L, Long::sum);
            listener.onDifference(difference);
        }
    }

    void failed(boolean isA, TreePath path, SystemCallException e) {
        EntryFailure failure = EntryFailure.of(isA ? a : b, path, e);
        boolean isVanished = e.errno() == Errno.ENOENT && !path.isRoot();
        EntryFailure reported = isVanished ? failure.as(EntryFailure.Kind.VANISHED) : failure;
        failures.merge(reported.kind(), 1L, Long::sum);
        progress.entryFailed();
        events.onEvent(new Event.Failed(reported));
    }

    CompareResult result() {
        return new CompareResult(progress.snapshot(), copy(differences, new EnumMap<>(DifferenceKind.class)),
                copy(failures, new EnumMap<>(EntryFailure.Kind.class)), !stop.isCancelled());
    }

    private static <K> Map<K, Long> copy(Map<K, Long> counts, Map<K, Long> into) {
        into.putAll(counts);
        return into;
    }
}
