// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;

/** What the threads of a planning walk share. */
final class PlanRun {

    private final PlanRequest request;
    private final Spool spool;
    private final EntrySink sink;
    private final Targets targets;
    private final EventListener listener;
    private final Progress progress;
    private final Map<ByteString, Integer> roots = new HashMap<>();

    PlanRun(PlanRequest request, Spool spool, EntrySink sink, Targets targets, EventListener listener,
            Progress progress) {
        this.request = request;
        this.spool = spool;
        this.sink = sink;
        this.targets = targets;
        this.listener = listener;
        this.progress = progress;
        for (int root = 0; root < request.pairs().size(); root++) {
            roots.putIfAbsent(request.pairs().get(root).source().path(), root);
        }
    }

    PlanRequest request() {
        return request;
    }

    Spool spool() {
        return spool;
    }

    EntrySink sink() {
        return sink;
    }

    Targets targets() {
        return targets;
    }

    Progress progress() {
        return progress;
    }

    void count(FileStatus status) {
        progress.entryDone();
        if (status.kind().hasData()) {
            progress.fileDone();
            progress.bytesDone(status.size());
        }
    }

    void failed(EntryFailure failure) {
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
        try {
            // Each failure names a root of the walk.
            spool.fail(Objects.requireNonNull(roots.get(failure.root())), failure);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
