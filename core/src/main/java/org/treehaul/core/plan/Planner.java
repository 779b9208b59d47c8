// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.DataBytes;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.plan.format.PlanFiles;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedProbe;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.plan.servers.FileServers;
import org.treehaul.core.plan.servers.PlacedEntries;
import org.treehaul.core.plan.servers.ServerTable;
import org.treehaul.core.plan.spool.EntrySink;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.RunBuffer;
import org.treehaul.core.state.Host;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.Symlinks;
import org.treehaul.core.walk.options.WalkOptions;

/**
 * Walks the sources of a transfer and writes its plan.
 *
 * <p>
 * The entries found are spooled and sorted on disk beside the plan, so that memory grows only by a few off-heap bytes
 * for each entry, regardless of the length of names. Equal trees give equal plans, regardless of the scheduling of
 * threads, unless batches are released during the walk.
 */
public final class Planner {

    private final FileSystemCalls calls;
    private final PlanRequest request;
    private final @Nullable FilePlaces places;

    private Planner(FileSystemCalls calls, PlanRequest request, @Nullable FilePlaces places) {
        this.calls = calls;
        this.request = request;
        this.places = places;
    }

    /** Returns a planner. */
    public static Planner of(FileSystemCalls calls, PlanRequest request) {
        return new Planner(calls, request, null);
    }

    /**
     * Returns a planner of files that are in no mounted tree: the sources are paths of them, and are not walked. Each
     * batch has files of one host, or of several that have the same files.
     */
    public Planner withPlaces(FilePlaces files) {
        return new Planner(calls, request, files);
    }

    /**
     * Plans; returns when the plan is sealed or planning was cancelled.
     *
     * @param directory the directory for the plan: absent, empty, or with a plan that was never finished, which is
     *        replaced
     * @param listener receives entries that fail
     * @param progress counts the entries found
     * @throws PlanException if the plan or a token cannot be written, or the strategy is at fault; the part of the plan
     *         written so far stays without a seal, and the tokens are removed
     */
    public PlanSummary plan(Path directory, EventListener listener, Progress progress, Cancellation cancellation)
            throws PlanException {
        return plan(directory, PlanClaim.always(), listener, progress, cancellation);
    }

    /**
     * Like {@link #plan(Path, EventListener, Progress, Cancellation)}, in a directory where another process may start
     * planning again.
     *
     * @param claim shows whether this process still owns the plan; once it does not, planning ends as if cancelled, or
     *        fails, the tokens stay, and nothing is sealed
     */
    public PlanSummary plan(Path directory, PlanClaim claim, EventListener listener, Progress progress,
            Cancellation whole) throws PlanException {
        Cancellation cancellation = Cancellation.of(whole);
        PlanGuard guard = new PlanGuard(claim, cancellation);
        try (FileAccess access = FileAccess.open(calls)) {
            PlanFiles files = new PlanFiles(directory);
            List<ByteString> targets = new ArrayList<>();
            List<PlannedRoot> roots = new ArrayList<>();
            for (PlanRequest.Pair pair : request.pairs()) {
                targets.add(pair.hasTarget() ? Tokens.absolute(access, pair.target()) : ByteString.empty());
                ByteString source = pair.source().path();
                roots.add(
                        new PlannedRoot(places == null ? Tokens.absolute(access, source) : source, targets.getLast()));
            }
            List<PlannedFailure> unplaced = new ArrayList<>();
            for (PlanRequest.Unplaced source : request.unplaced()) {
                unplaced.add(unplaced(source, roots, access));
            }
            roots.subList(targets.size(), roots.size()).forEach(root -> targets.add(root.target()));
            Tokens tokens = new Tokens(access, PlanHeader.tokenName(request.id()));
            boolean isSealed = false;
            guard.require();
            RoomNeeds needs = new RoomNeeds(request.hasLinkGroups());
            try (Targets found = new Targets(calls, targets, needs)) {
                List<Boolean> isThere = found.look(access);
                PlanHeader header = header(roots,
                        request.withToken() ? Tokens.directories(targets, isThere) : List.of());
                try (PlanWriter plan = PlanWriter.create(directory, header, guard);
                        Spool spool = new Spool(files.spool(), ExternalSort.defaultRunBytes());
                        Heartbeat heart = new Heartbeat(files.heartbeat(), header.host(), progress, guard)) {
                    heart.start();
                    tokens.write(header.tokenDirectories());
                    for (PlannedFailure failure : unplaced) {
                        spool.fail(failure.root(), failure.failure());
                    }
                    PlanSummary summary = plan(plan, spool, found, needs, new FinishingOrder(roots), rootProbes(access),
                            listener, progress, cancellation);
                    isSealed = summary.isComplete();
                    return summary;
                }
            } finally {
                // Another planner of the same transfer uses tokens with the same names.
                if (!isSealed && guard.isOurs()) {
                    tokens.remove();
                }
            }
        } catch (UncheckedIOException e) {
            throw PlanException.unwritable(directory, Objects.requireNonNull(e.getCause()));
        } catch (IOException e) {
            throw PlanException.unwritable(directory, e);
        }
    }

    // Adds a root unless one of the walked roots is equal.
    private static PlannedFailure unplaced(PlanRequest.Unplaced source, List<PlannedRoot> roots, FileAccess access)
            throws SystemCallException {
        PlannedRoot root = new PlannedRoot(Tokens.absolute(access, source.source()),
                Tokens.absolute(access, source.target()));
        if (!roots.contains(root)) {
            roots.add(root);
        }
        EntryFailure failure = source.failure();
        return new PlannedFailure(roots.indexOf(root),
                new EntryFailure(failure.kind(), root.source(), source.path(), failure.operation(), failure.errno()));
    }

    private PlanHeader header(List<PlannedRoot> roots, List<ByteString> tokenDirectories) throws IOException {
        ProcessStatus process = ProcessStatus.read();
        return new PlanHeader(request.id(), Instant.now().truncatedTo(ChronoUnit.SECONDS), process.umask(),
                process.effectiveUid(), Host.name(), request.batching().name(), request.limits(), request.jobs(),
                request.chunkBytes(), request.hasLinkGroups(), roots, PlanHeader.tokenName(request.id()),
                tokenDirectories, request.settings());
    }

    private PlanSummary plan(PlanWriter plan, Spool spool, Targets targets, RoomNeeds needs, FinishingOrder order,
            List<PlannedProbe> rootProbes, EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        plan.probes(rootProbes);
        FollowedLinks links = new FollowedLinks();
        DataBytes data = new DataBytes();
        StreamedBatches streamed = request.batching().isStreaming()
                ? new StreamedBatches(request, plan, links, data, rootProbes)
                : null;
        EntrySink sink = streamed == null ? spool.entries()::addAll : streamed;
        // A streamed batch leaves before it is known what the servers of the rest are.
        boolean isByServers = request.asksServers() && request.jobs() > 1;
        PlacedEntries placed = places == null ? null : new PlacedEntries();
        FileServers servers = placed == null && (isByServers || request.chunkBytes() == PlanRequest.BY_LAYOUT)
                && streamed == null ? new FileServers(calls, request.chunkBytes()) : null;
        PlanRun run = new PlanRun(request, spool, sink, targets, links, order, data, servers, listener, progress);
        if (!(placed == null ? walk(run, cancellation) : list(run, placed, cancellation))) {
            return new PlanSummary(false, plan.batchCount(), new PlanTotals(0, 0, 0, 0, 0, 0, 0));
        }
        if (servers != null) {
            servers.problem().ifPresent(problem -> listener.onEvent(new Event.Notice(problem)));
        }
        progress.setPhase("dividing it into batches");
        spool.resolveLinks(sink);
        if (streamed != null) {
            streamed.end();
        } else {
            ServerTable table = placed != null
                    ? placed.table()
                    : servers == null || !isByServers ? null : servers.table();
            SortedBatches batches = new SortedBatches(request, spool, data, table, placed != null, plan);
            batches.write();
            List<PlannedProbe> probes = new ArrayList<>(rootProbes);
            probes.addAll(batches.probes());
            plan.probes(probes);
        }
        spool.writeRest(plan, order);
        links.write(plan);
        plan.room(needs.planned());
        progress.setPhase("");
        if (cancellation.isCancelled()) {
            return new PlanSummary(false, plan.batchCount(), new PlanTotals(0, 0, 0, 0, 0, 0, 0));
        }
        return new PlanSummary(true, plan.batchCount(), plan.seal());
    }

    private boolean walk(PlanRun run, Cancellation cancellation) throws IOException {
        List<Root> roots = request.pairs().stream().map(PlanRequest.Pair::source).toList();
        // The walk also examines the target tree.
        WalkOptions options = request.walk()
                .withStatus(true)
                .withThreads(TreeWalker.threadsOnTwoTrees(request.walk().threads()))
                .withDirectoryBudget(DirectoryPool.LARGEST_BUDGET)
                .withWhere(request.selects() ? FileQuery.all() : request.walk().where());
        WalkResult<PlanHandler> result = TreeWalker.of(calls, options)
                .walkWith(roots, (WalkWorker<PlannedTarget> worker) -> new PlanHandler(run), cancellation,
                        run.progress());
        run.progress().setBusy(List::of);
        for (PlanHandler handler : result.workers()) {
            handler.flush();
        }
        return result.isComplete();
    }

    // Returns whether all files were listed.
    private boolean list(PlanRun run, PlacedEntries placed, Cancellation cancellation) throws IOException {
        RunBuffer block = new RunBuffer();
        List<ByteString> roots = request.pairs().stream().map(pair -> pair.source().path()).toList();
        try {
            Objects.requireNonNull(places)
                    .list(roots, request.chunkBytes() == PlanRequest.BY_LAYOUT, request.walk().where(), file -> {
                        if (cancellation.isCancelled()) {
                            return;
                        }
                        placed.add(file, block);
                        run.count(file.size());
                        if (block.usedBytes() > PlanHandler.BLOCK_BYTES) {
                            flush(run, block);
                        }
                    });
        } catch (IOException e) {
            throw new PlanException(PrivateFiles.describe(e), e);
        }
        flush(run, block);
        return !cancellation.isCancelled();
    }

    private static void flush(PlanRun run, RunBuffer block) {
        try {
            run.sink().addAll(block);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        block.clear();
    }

    private List<PlannedProbe> rootProbes(FileAccess access) {
        List<PlannedProbe> probes = new ArrayList<>();
        if (places != null) {
            return probes;
        }
        for (int root = 0; root < request.pairs().size(); root++) {
            Root source = request.pairs().get(root).source();
            boolean follow = request.walk().symlinks() != Symlinks.NEVER || source.selection().isPresent();
            try {
                FileStatus status = LongPath.status(access, source.path(), follow);
                probes.add(new PlannedProbe(root, TreePath.root(), status.kind(), status.inode(),
                        status.kind() == EntryKind.DIRECTORY ? 0 : status.size()));
            } catch (SystemCallException e) {
                // The walk meets this error too and reports it.
            }
        }
        return probes;
    }
}
