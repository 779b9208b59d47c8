// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.walk.PathSelection;
import org.treehaul.core.walk.Symlinks;

/** What the threads of a planning walk share. */
final class PlanRun {

    private final PlanRequest request;
    private final Spool spool;
    private final EntrySink sink;
    private final Targets targets;
    private final FollowedLinks links;
    private final FinishingOrder order;
    private final EventListener listener;
    private final Progress progress;
    private final Map<ByteString, Integer> roots = new HashMap<>();

    PlanRun(PlanRequest request, Spool spool, EntrySink sink, Targets targets, FollowedLinks links,
            FinishingOrder order, EventListener listener, Progress progress) {
        this.request = request;
        this.spool = spool;
        this.sink = sink;
        this.targets = targets;
        this.links = links;
        this.order = order;
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

    /** Takes note of a directory that a link led to, where who copies would not follow one by itself. */
    void followed(int root, TreePath path) {
        boolean isOnTheWay = !path.isRoot() || request.pairs().get(root).source().selection().isPresent();
        if (isOnTheWay && request.walk().symlinks() != Symlinks.ALWAYS) {
            links.add(new PlannedFollow(root, path));
        }
    }

    FinishingOrder order() {
        return order;
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
            int root = Objects.requireNonNull(roots.get(failure.root()));
            Optional<PathSelection> selection = request.pairs().get(root).source().selection();
            // What is tried again is what was listed, never all of a directory on the way there.
            List<TreePath> failed = selection.map(listed -> listed.listedBelow(failure.path()))
                    .orElseGet(() -> List.of(failure.path()));
            for (TreePath path : failed) {
                spool.fail(root,
                        new EntryFailure(failure.kind(), failure.root(), path, failure.operation(), failure.errno()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
