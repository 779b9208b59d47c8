// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.treehaul.core.compare.DifferenceKind;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;

/** Reports changes with the targets of the links that they make. Safe for any number of threads. */
record Reporter(FileSystemCalls calls, CopyPair pair, boolean needsTargets, ChangeListener listener) {

    void report(Change.Action action, TreePath path, EntryKind kind, Set<DifferenceKind> differing) {
        boolean isMade = needsTargets && kind == EntryKind.SYMLINK;
        report(new Change(action, path, kind, differing, isMade ? target(path) : Optional.empty()));
    }

    void report(Change change) {
        listener.onChange(change);
    }

    // Only for display: the copy reads the link again. File access belongs to one thread, and this is any thread.
    private Optional<ByteString> target(TreePath path) {
        try (FileAccess access = FileAccess.open(calls); LongPath link = LongPath.of(access, pair.sourcePath(path))) {
            return Optional.of(access.linkTarget(link.base(), access.name(link.rest())));
        } catch (SystemCallException e) {
            // The copy reports it if the link is gone.
            return Optional.empty();
        }
    }

    /**
     * Passes events on, and each failure once: what cannot be read fails in the comparison, and again in the copy. Safe
     * for any number of threads, except for the counts.
     */
    static final class Failures implements EventListener {

        // About 300 bytes each. A failure after so many others may be reported again.
        private static final int MOST_REMEMBERED = 100_000;

        private final EventListener listener;
        private final Set<EntryFailure> reported = ConcurrentHashMap.newKeySet();
        private final Map<EntryFailure.Kind, Long> counts = new EnumMap<>(EntryFailure.Kind.class);
        private final Map<EntryFailure.Kind, Long> repeated = new ConcurrentHashMap<>();

        Failures(EventListener listener) {
            this.listener = listener;
        }

        @Override
        public void onEvent(Event event) {
            if (event instanceof Event.Failed failed) {
                EntryFailure failure = failed.failure();
                if (reported.contains(failure) || reported.size() < MOST_REMEMBERED && !reported.add(failure)) {
                    repeated.merge(failure.kind(), 1L, Long::sum);
                    return;
                }
            }
            listener.onEvent(event);
        }

        /** Adds the failures of a part of the run, each of which was sent to this listener. */
        void add(Map<EntryFailure.Kind, Long> more) {
            more.forEach((kind, count) -> counts.merge(kind, count, Long::sum));
        }

        /** Sends a failure, and counts it. */
        void failed(EntryFailure failure) {
            onEvent(new Event.Failed(failure));
            counts.merge(failure.kind(), 1L, Long::sum);
        }

        boolean isAny() {
            return !counts.isEmpty();
        }

        /** Returns the number of failures of each kind. */
        Map<EntryFailure.Kind, Long> counts() {
            Map<EntryFailure.Kind, Long> once = new EnumMap<>(EntryFailure.Kind.class);
            counts.forEach((kind, count) -> {
                long left = count - repeated.getOrDefault(kind, 0L);
                if (left > 0) {
                    once.put(kind, left);
                }
            });
            return once;
        }
    }
}
