// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StoredSegment;
import org.treehaul.schedulers.stage.StripeLayout;

/**
 * Compares the catalogue of a stage with the segments of its servers, without reading data. Files may be made and
 * removed during the check: a segment is reported only if it is still there, and still belongs to no file.
 */
public final class StageCheck {

    // The ids of one question to the catalogue.
    private static final int AT_ONCE = 500;
    private static final long ABSENT = -1;

    private final Stage stage;
    private final int threads;
    private final Consumer<? super StageFinding> findings;
    private final boolean isCleaned;
    private final StageReports reports;
    private final Set<String> unreachable = new HashSet<>();
    private final Set<String> lost = new HashSet<>();

    /**
     * Creates the check.
     *
     * @param threads the number of threads that ask servers for segments, 1 or more
     * @param findings receives each difference, one after another, in no order
     * @param isCleaned whether orphans, unfinished files and their segments are removed; nothing may be made during the
     *        check then
     * @param reports receives a failure for each segment that cannot be examined or removed; the others are
     */
    public StageCheck(Stage stage, int threads, Consumer<? super StageFinding> findings, boolean isCleaned,
            StageReports reports) {
        this.stage = stage;
        this.threads = threads;
        this.findings = findings;
        this.isCleaned = isCleaned;
        this.reports = reports;
    }

    /** Checks all servers and files of the stage, until it is cancelled. */
    public void run() throws StageException {
        for (StageServer server : stage.catalogue().servers()) {
            if (reports.isCancelled()) {
                return;
            }
            if (server.state() == StageServer.State.LOST) {
                lost.add(server.name());
                continue;
            }
            try {
                segments(server.name(), stage.segments(server.name()));
            } catch (StageException e) {
                unreachable(server, e);
            }
        }
        if (isCleaned) {
            try (Stream<StagedFile> intents = stage.catalogue().intents(ByteString.empty())) {
                forget(intents.iterator());
            }
        }
        files();
    }

    private void unreachable(StageServer server, StageException failure) {
        unreachable.add(server.name());
        // No file needs one that is drained, and its directory may be gone.
        if (server.state() != StageServer.State.DRAINED) {
            found(new StageFinding(StageFinding.Kind.UNREACHABLE, server.name(), "",
                    ByteString.of(
                            failure.operation() + (failure.errno() == 0 ? "" : ": " + Errno.describe(failure.errno()))),
                    0, false));
        }
    }

    private void forget(Iterator<StagedFile> intents) {
        List<StagedFile> some = new ArrayList<>();
        while (intents.hasNext()) {
            some.add(intents.next());
            if (some.size() == AT_ONCE || !intents.hasNext()) {
                var _ = stage.catalogue().removeUnmoved(some);
                some.clear();
            }
        }
    }

    private void files() throws StageException {
        FileLoop.each(stage, stage.catalogue().below(ByteString.empty(), false), threads, reports, this::file);
    }

    private synchronized void found(StageFinding finding) {
        findings.accept(finding);
    }

    private void segments(String server, Segments segments) throws StageException {
        List<StoredSegment> some = new ArrayList<>();
        try {
            segments.list(segment -> {
                some.add(segment);
                if (some.size() == AT_ONCE) {
                    compare(server, segments, some);
                }
            });
        } catch (StageException e) {
            if (e.errno() == 0) {
                // The connection has ended.
                throw e;
            }
            reports.failed(TreePath.root(), e);
        }
        compare(server, segments, some);
    }

    private void compare(String server, Segments segments, List<StoredSegment> some) {
        Map<UUID, StagedFile> files = stage.catalogue()
                .ofAnyStage(some.stream().map(segment -> segment.key().file()).collect(Collectors.toSet()))
                .stream()
                .collect(Collectors.toMap(StagedFile::id, file -> file, (one, other) -> other));
        for (StoredSegment segment : some) {
            StagedFile file = files.get(segment.key().file());
            if (reports.isCancelled()) {
                break;
            }
            if (file != null && !file.stage().equals(stage.catalogue().stage())) {
                // The check of that stage compares it.
                continue;
            }
            StageFinding.Kind kind = kind(server, segment, file);
            try {
                if (kind != null && isThere(segments, segment)) {
                    found(new StageFinding(kind, server, segment.key().name(),
                            file == null ? ByteString.empty() : file.path(), segment.size(), false));
                    if (isCleaned) {
                        segments.remove(segment.key());
                    }
                }
            } catch (StageException e) {
                reports.failed(path(file), e);
            }
        }
        some.clear();
    }

    private static StageFinding.@Nullable Kind kind(String server, StoredSegment segment, @Nullable StagedFile file) {
        if (file == null || file.kind() != EntryKind.REGULAR) {
            return StageFinding.Kind.ORPHAN;
        }
        if (file.state() == StagedState.INTENT) {
            return StageFinding.Kind.UNFINISHED;
        }
        StripeLayout layout = file.layout();
        boolean isChanging = file.state() != StagedState.COMMITTED;
        long generation = segment.key().generation();
        boolean isOfFile = segment.key().index() < layout.segments()
                && layout.serversOf(segment.key().index()).contains(server)
                && (generation == file.generation() || isChanging && generation == file.generation() - 1
                        || file.state() == StagedState.TRUNCATING && generation == file.generation() + 1);
        // A copy that is being built is not in the catalogue yet.
        return isOfFile
                ? null
                : file.state() == StagedState.REPAIRING ? StageFinding.Kind.UNFINISHED : StageFinding.Kind.ORPHAN;
    }

    // It may have been removed, or have got another generation, since the server was asked.
    private static boolean isThere(Segments segments, StoredSegment segment) throws StageException {
        try {
            return segments.size(segment.key()) >= 0;
        } catch (StageException e) {
            if (e.errno() == Errno.ESTALE) {
                return false;
            }
            throw e;
        }
    }

    private static TreePath path(@Nullable StagedFile file) {
        return file == null ? TreePath.root() : StageOut.below(file.path(), ByteString.empty());
    }

    private void file(StagedFile file) {
        StripeLayout layout = file.layout();
        for (String mark : file.incomplete()) {
            int end = mark.indexOf('!');
            found(new StageFinding(StageFinding.Kind.INCOMPLETE, mark.substring(end + 1),
                    file.key(Integer.parseInt(mark.substring(0, end))).name(), file.path(), 0, false));
        }
        for (int i = 0; i < layout.segments(); i++) {
            for (String server : layout.serversOf(i)) {
                if (!unreachable.contains(server)) {
                    try {
                        copy(file, layout, i, server);
                    } catch (StageException e) {
                        reports.failed(path(file), e);
                    }
                }
            }
        }
    }

    private void copy(StagedFile file, StripeLayout layout, int segment, String server) throws StageException {
        long wanted = layout.segmentSize(segment, file.size());
        long size = lost.contains(server) ? ABSENT : size(file, segment, server);
        boolean isStale = file.isStale(segment, server);
        boolean isChanging = file.state() != StagedState.COMMITTED && file.state() != StagedState.REPAIRING;
        if (size >= wanted && !isStale || isChanging || !isStill(file)) {
            return;
        }
        StageFinding.Kind kind = isStale
                ? StageFinding.Kind.STALE
                : size == ABSENT ? StageFinding.Kind.MISSING : StageFinding.Kind.SHORT;
        boolean isRepairable = file.good(segment)
                .stream()
                .anyMatch(other -> !other.equals(server) && !lost.contains(other) && !unreachable.contains(other));
        found(new StageFinding(kind, server, file.key(segment).name(), file.path(), Math.max(0, size), isRepairable));
    }

    private long size(StagedFile file, int segment, String server) throws StageException {
        if (file.state() == StagedState.REPAIRING) {
            // A repair that has just begun, or was killed then: the segment gets its new generation when it is needed.
            long before = size(file.key(segment).in(file.generation() - 1), server);
            if (before != ABSENT) {
                return before;
            }
        }
        return size(file.key(segment), server);
    }

    private long size(SegmentKey key, String server) throws StageException {
        try {
            return stage.segments(server).size(key);
        } catch (StageException e) {
            if (e.errno() != Errno.ESTALE) {
                throw e;
            }
            return ABSENT;
        }
    }

    private boolean isStill(StagedFile file) {
        return stage.catalogue().withIds(Set.of(file.id())).contains(file);
    }
}
