// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.walk.SharedWalkContext;
import org.treehaul.core.walk.TreeWalker;
import org.treehaul.core.walk.WalkHandler;
import org.treehaul.core.walk.WalkResult;
import org.treehaul.core.walk.WalkWorker;
import org.treehaul.core.walk.Walker;
import org.treehaul.core.walk.frontier.SharedWork;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;

/**
 * Walks trees with ranks that share the work, each with its own threads. Exactly one rank handles each entry.
 *
 * <p>
 * It calls handlers and visitors as {@link TreeWalker} does: a directory is entered and left once, whichever ranks do
 * parts of it. The only exception is ranks that are {@linkplain #sharedNothing() apart}.
 */
@Api
public final class RankWalk implements Walker {

    private final FileSystemCalls calls;
    private final WalkOptions options;
    private final Distribution distribution;
    private final Transport transport;
    private final List<Integer> hosts;
    private final Group.Settings settings;
    private final Consumer<RankReport> reports;
    private final boolean isApart;

    private RankWalk(FileSystemCalls calls, WalkOptions options, Distribution distribution, Transport transport,
            List<Integer> hosts, Group.Settings settings, Consumer<RankReport> reports, boolean isApart) {
        this.calls = calls;
        this.options = options;
        this.distribution = distribution;
        this.transport = transport;
        this.hosts = List.copyOf(hosts);
        this.settings = settings;
        this.reports = reports;
        this.isApart = isApart;
    }

    /**
     * Returns a walk by ranks that are threads of this process.
     *
     * @param options its threads are those of each rank; 0 for one, or with a hybrid distribution for the rank's share
     *        of the processors, at least two
     * @param ranks the number of ranks
     * @throws IllegalArgumentException when there are fewer than one, or too many for the limit on open files of this
     *         process
     */
    public static RankWalk of(FileSystemCalls calls, WalkOptions options, Distribution distribution, int ranks) {
        return of(calls, options, distribution, ranks, TreeWalker.DESCRIPTORS_ON_ONE_TREE);
    }

    /**
     * Returns a walk as {@link #of} does, for handlers that work on two trees at once, such as copies and comparisons.
     *
     * @throws IllegalArgumentException as {@link #of}
     */
    public static RankWalk onTwoTrees(FileSystemCalls calls, WalkOptions options, Distribution distribution,
            int ranks) {
        return of(calls, options, distribution, ranks, TreeWalker.DESCRIPTORS_ON_TWO_TREES);
    }

    private static RankWalk of(FileSystemCalls calls, WalkOptions options, Distribution distribution, int ranks,
            int descriptors) {
        if (ranks < 1) {
            throw new IllegalArgumentException("ranks: " + ranks);
        }
        int threads = options.threads() > 0
                ? options.threads()
                : distribution.isHybrid() ? Math.max(2, Runtime.getRuntime().availableProcessors() / ranks) : 1;
        long limit = ProcessStatus.descriptorLimit() - DirectoryPool.RESERVED_DESCRIPTORS;
        // The descriptors that each thread needs on its way, and a few that each rank keeps.
        long need = ((long) descriptors * threads + 4) * ranks;
        if (need > limit) {
            throw new IllegalArgumentException(ranks + " ranks of " + threads + " threads need " + need
                    + " open files, and the limit leaves " + limit);
        }
        WalkOptions each = options.withThreads(threads)
                .withDirectoryBudget(Math.clamp((limit - need) / (2L * ranks), 4, options.directoryBudget()));
        return new RankWalk(calls, each, distribution, Transport.threads(),
                distribution.isHybrid() ? IntStream.range(0, ranks).boxed().toList() : Collections.nCopies(ranks, 0),
                Group.Settings.defaults(), report -> {
                }, false);
    }

    /** Returns a copy whose ranks another transport starts and connects. */
    public RankWalk withTransport(Transport other) {
        return new RankWalk(calls, options, distribution, other, hosts, settings, reports, isApart);
    }

    /** Returns a copy whose ranks count as being on these hosts, one for each rank. */
    public RankWalk withHosts(List<Integer> others) {
        if (others.size() != hosts.size()) {
            throw new IllegalArgumentException(others.size() + " hosts for " + hosts.size() + " ranks");
        }
        return new RankWalk(calls, options, distribution, transport, others, settings, reports, isApart);
    }

    /** Returns a copy with other settings for the protocol. */
    @Internal
    public RankWalk withSettings(Group.Settings others) {
        return new RankWalk(calls, options, distribution, transport, hosts, others, reports, isApart);
    }

    /**
     * Returns a copy that reports the work of each rank to the listener when the rank has ended, on any thread; with
     * {@link WalkOptions#times()} also how it spent its time.
     */
    public RankWalk withReports(Consumer<RankReport> listener) {
        return new RankWalk(calls, options, distribution, transport, hosts, settings, listener, isApart);
    }

    /**
     * Returns a copy whose ranks share nothing but their messages, like ranks of several processes: each rank that does
     * a part of a directory opens and enters the directory, and the rank that found it leaves it when it has done its
     * own part.
     */
    public RankWalk sharedNothing() {
        return new RankWalk(calls, options, distribution, transport, hosts, settings, reports, true);
    }

    @Override
    public WalkOptions options() {
        return options;
    }

    @Override
    public boolean isPart() {
        return isApart;
    }

    /** @throws RanksException when the group of ranks breaks: then entries are left undone */
    @Override
    @Internal
    public <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher) {
        // If one rank ends early, the others must not wait for it.
        Cancellation together = Cancellation.of(cancellation);
        List<WalkWorker<D>> all = new CopyOnWriteArrayList<>();
        watcher.accept(all);
        List<WalkResult<H>> results = Collections.synchronizedList(new ArrayList<>());
        // Fewer than all ranks, if others run in other processes.
        AtomicInteger begun = new AtomicInteger();
        int budget = Math.min(options.directoryBudget() * hosts.size(), DirectoryPool.LARGEST_BUDGET);
        try (SharedWalkContext<D> sharedContext = SharedWalkContext.of(calls, roots, budget)) {
            transport.run(hosts, communicator -> {
                begun.incrementAndGet();
                boolean isWhole = false;
                try {
                    WalkResult<H> result = walkRank(communicator, sharedContext, roots, handlers, together, all);
                    results.add(result);
                    isWhole = result.isComplete();
                } finally {
                    if (!isWhole) {
                        together.cancel();
                    }
                }
            });
        }
        return new WalkResult<>(results.stream().flatMap(result -> result.workers().stream()).toList(),
                results.size() == begun.get() && results.stream().allMatch(WalkResult::isComplete));
    }

    private <D, H extends WalkHandler<D>> WalkResult<H> walkRank(Communicator communicator,
            SharedWalkContext<D> sharedContext, List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, List<WalkWorker<D>> all) {
        List<WalkWorker<D>> own = new CopyOnWriteArrayList<>();
        Duration[] communication = {Duration.ZERO};
        long began = System.nanoTime();
        Function<WalkWorker<D>, H> counted = worker -> {
            H handler = handlers.apply(worker);
            own.add(worker);
            all.add(worker);
            return handler;
        };
        Consumer<SharedWork> sharedWork = work -> {
            RankDriver driver = new RankDriver(distribution, settings, options.threads(), communicator,
                    new FrontierPool(work));
            driver.run();
            communication[0] = driver.communication();
        };
        Consumer<List<WalkWorker<D>>> ignored = workers -> {
        };
        TreeWalker walker = TreeWalker.of(calls, options);
        boolean begins = communicator.rank() == 0;
        WalkResult<H> result = isApart
                ? walker.walkPart(roots, counted, cancellation, ignored, begins, sharedWork)
                : walker.walkShared(sharedContext, counted, cancellation, ignored, begins, sharedWork);
        reports.accept(new RankReport(communicator.rank(), communicator.hostOf(communicator.rank()),
                communicator.traffic(), own.stream().mapToLong(WalkWorker::workDone).sum(),
                Duration.ofNanos(System.nanoTime() - began), communication[0],
                options.times()
                        ? Optional.of(RankTimes.of(own.stream().flatMap(worker -> worker.times().stream()).toList()))
                        : Optional.empty()));
        return result;
    }
}
