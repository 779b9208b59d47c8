// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.plan.servers.FileServers;
import org.treehaul.core.plan.spool.EntrySink;
import org.treehaul.core.walk.FoundEntry;
import org.treehaul.core.walk.WalkDirectory;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.SelectedPaths;
import org.treehaul.core.walk.options.Symlinks;

/** State shared by the threads of a planning walk. */
final class PlanRun {

    private final PlanRequest request;
    private final Spool spool;
    private final EntrySink sink;
    private final Targets targets;
    private final FollowedLinks links;
    private final FinishingOrder order;
    private final DataBytes data;
    private final @Nullable FileServers servers;
    private final EventListener listener;
    private final Progress progress;
    private final Map<ByteString, Integer> roots = new HashMap<>();
    // The directories that meet the conditions and are not left yet.
    private final Set<Place> matching = ConcurrentHashMap.newKeySet();

    PlanRun(PlanRequest request, Spool spool, EntrySink sink, Targets targets, FollowedLinks links,
            FinishingOrder order, DataBytes data, @Nullable FileServers servers, EventListener listener,
            Progress progress) {
        this.request = request;
        this.spool = spool;
        this.sink = sink;
        this.targets = targets;
        this.links = links;
        this.order = order;
        this.data = data;
        this.servers = servers;
        this.listener = listener;
        this.progress = progress;
        for (int root = 0; root < request.pairs().size(); root++) {
            roots.putIfAbsent(request.pairs().get(root).source().path(), root);
        }
    }

    private record Place(int root, TreePath path) {}

    /** Returns whether the handlers decide which entries the conditions select, directories as well. */
    boolean selects() {
        return request.selects();
    }

    /** Notes that a directory meets the conditions. */
    void matches(int root, TreePath directory) {
        matching.add(new Place(root, directory));
    }

    /** Returns whether a directory that the walk leaves belongs to the plan. */
    boolean isPlanned(WalkDirectory<PlannedTarget> directory) {
        if (!selects()) {
            return true;
        }
        boolean isMatch = matching.remove(new Place(directory.rootIndex(), directory.path()));
        return isMatch && (request.directories() != PlanRequest.Directories.EMPTIED
                || !directory.isIncomplete() && !directory.attachment().leavesAny());
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

    /** Records a directory reached through a link that the copy would not follow by itself. */
    void followed(int root, TreePath path) {
        boolean isOnTheWay = !path.isRoot() || request.pairs().get(root).source().selection().isPresent();
        if (isOnTheWay && request.walk().symlinks() != Symlinks.ALWAYS) {
            links.add(new PlannedFollow(root, path));
        }
    }

    FinishingOrder order() {
        return order;
    }

    DataBytes data() {
        return data;
    }

    /** Returns the places of an entry, as {@link FileServers#of} does. */
    FileServers.Places places(FoundEntry<?> found, FileStatus status) {
        return servers == null
                ? FileServers.Places.NONE
                : servers.of(found.access(), found.parentDescriptor(), found.name(), status, found.isFollowed());
    }

    /** Returns whether the places of a regular file of this size are asked for. */
    boolean asksPlaces(long size) {
        return servers != null && size >= FileServers.LEAST_BYTES;
    }

    Progress progress() {
        return progress;
    }

    /** Counts a regular file. */
    void count(long bytes) {
        progress.entryDone();
        progress.fileDone();
        progress.bytesDone(bytes);
    }

    void failed(EntryFailure failure) {
        progress.entryFailed();
        listener.onEvent(new Event.Failed(failure));
        try {
            // Each failure names a root of the walk.
            int root = Objects.requireNonNull(roots.get(failure.root()));
            // A retry covers only the listed paths, never all of a directory on the way to them.
            List<TreePath> failed = switch (request.pairs().get(root).source().selection().orElse(null)) {
                case SelectedPaths paths -> paths.listedBelow(failure.path());
                case SelectedEntries entries -> List.of(failure.path());
                case null -> List.of(failure.path());
            };
            for (TreePath path : failed) {
                spool.fail(root,
                        new EntryFailure(failure.kind(), failure.root(), path, failure.operation(), failure.errno()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
