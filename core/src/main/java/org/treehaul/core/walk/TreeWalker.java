// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Phaser;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;

/**
 * Walks trees with many threads. It keeps no state between walks and may be used by any number of threads.
 *
 * <p>
 * Memory stays small whatever the tree: the waiting work is bounded by the subdirectories of the directories on the way
 * down, and nothing is kept of an entry that was handled. Depth and length of paths have no limit.
 */
public final class TreeWalker implements Walking {

    /**
     * Threads at most when the walk chooses: on a file system of 2 ms a call more did not help a single client, and
     * each costs a megabyte of scratch.
     */
    public static final int MOST_CHOSEN_THREADS = 64;

    /** Descriptors that there must be for each thread: it holds a directory, and one more on the way to it. */
    public static final int DESCRIPTORS_ON_ONE_TREE = 3;

    /** The same where each thread works on two trees at once: {@link #threadsOnTwoTrees}. */
    public static final int DESCRIPTORS_ON_TWO_TREES = 9;

    private static final long TICK_MILLIS = 20;

    private final FileSystemCalls calls;
    private final WalkOptions options;

    private TreeWalker(FileSystemCalls calls, WalkOptions options) {
        this.calls = calls;
        this.options = options;
    }

    /** Returns a walker. */
    public static TreeWalker of(FileSystemCalls calls, WalkOptions options) {
        return new TreeWalker(calls, options);
    }

    @Override
    public WalkOptions options() {
        return options;
    }

    /**
     * Returns how many threads may work on two trees at once, each with two directories held, two files and sometimes
     * one more open: beyond what is left beside the directories' budgets more threads only fail for want of
     * descriptors.
     *
     * @param threads how many were asked for, 0 for as many as pay
     * @return no more than were asked for; 0 where the limit does not matter to the choice
     */
    public static int threadsOnTwoTrees(int threads) {
        int most = threadsWithinLimit(DESCRIPTORS_ON_TWO_TREES);
        if (threads != 0) {
            return Math.min(threads, most);
        }
        int cores = Runtime.getRuntime().availableProcessors();
        return most >= MOST_CHOSEN_THREADS ? 0 : Math.min(most, 2 * cores);
    }

    @Override
    public <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher) {
        try (CommonGround<D> ground = CommonGround.of(calls, roots, options.directoryBudget())) {
            return walk(ground, handlers, cancellation, watcher, true, null, false);
        }
    }

    /**
     * Walks as one of several walks in this process that share the work of the same roots, each in a rank of its own.
     * The number of threads must be set. Each directory is entered once among all, and left once, by whichever does the
     * last part of it.
     *
     * @param ground what all of them have in common; its roots are walked
     * @param begins whether this walk has the roots at first: exactly one of them must
     * @param sharing is called on this thread while the workers run, and moves work; when it returns, no more work will
     *        come from others, and what is there is done
     * @return the handlers of this rank, each with what it gathered
     */
    public <D, H extends WalkHandler<D>> WalkResult<H> walkShared(CommonGround<D> ground,
            Function<WalkWorker<D>, H> handlers, Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher,
            boolean begins, Consumer<SharedWork> sharing) {
        checkShared(ground.roots());
        return walk(ground, handlers, cancellation, watcher, begins, sharing, false);
    }

    /**
     * Walks as {@link #walkShared} does, where the other walks are in other processes. Of a directory that they share,
     * each that does a part of it enters it, and what is on the way to it; its entry is handled once among all. The one
     * that found it {@linkplain WalkHandler#leave leaves} it when its own part is done and the rest is given away: what
     * it attached hears of that, where it is a {@link DividedDirectory}.
     */
    public <D, H extends WalkHandler<D>> WalkResult<H> walkPart(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher, boolean begins,
            Consumer<SharedWork> sharing) {
        checkShared(roots);
        try (CommonGround<D> ground = CommonGround.of(calls, roots, options.directoryBudget())) {
            return walk(ground, handlers, cancellation, watcher, begins, sharing, true);
        }
    }

    private void checkShared(List<Root> roots) {
        if (options.threads() == 0) {
            throw new IllegalArgumentException("a walk that shares its work needs a number of threads");
        }
        if (roots.stream().flatMap(root -> root.selection().stream()).anyMatch(PathSelection::isOfEntries)) {
            throw new IllegalArgumentException("a selection of entries alone is not shared among ranks");
        }
    }

    private <D, H extends WalkHandler<D>> WalkResult<H> walk(CommonGround<D> ground,
            Function<WalkWorker<D>, H> handlers, Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher,
            boolean begins, @Nullable Consumer<SharedWork> sharing, boolean isPart) {
        boolean adapts = options.threads() == 0;
        int most = Math.min(adapts ? MOST_CHOSEN_THREADS : options.threads(),
                threadsWithinLimit(DESCRIPTORS_ON_ONE_TREE));
        int first = adapts ? Math.min(Runtime.getRuntime().availableProcessors(), most) : most;
        ThreadTuner tuner = new ThreadTuner(first, most);
        List<H> used = new CopyOnWriteArrayList<>();
        AtomicInteger started = new AtomicInteger();
        List<WalkWorker<D>> workers = new CopyOnWriteArrayList<>();
        watcher.accept(workers);
        WalkRun<D> run = new WalkRun<>(options, ground, cancellation, most, tuner.threads());
        try (ThreadPoolExecutor pool = pool(most)) {
            SharedWork shared = sharing == null ? null : run.share(isPart);
            for (int i = 0; begins && i < ground.roots().size(); i++) {
                run.frontier().push(i % tuner.threads(), new Work.RootWork<>(i));
            }
            Phaser running = new Phaser(1);
            Runnable addWorker = () -> {
                int index = started.getAndIncrement();
                running.register();
                try {
                    pool.execute(() -> runWorker(run, index, handlers, used, workers, running));
                } catch (OutOfMemoryError e) {
                    // A limit on threads or processes (ulimit -u): those that run do the work.
                    running.arriveAndDeregister();
                    started.set(most);
                    if (index == 0) {
                        throw e;
                    }
                    // Not a field: finding the logger costs time at every start, and opens every jar of the class path.
                    LoggerFactory.getLogger(TreeWalker.class)
                            .warn("thread {} could not be started, going on with fewer: {}", index + 1, e.getMessage());
                }
            };
            Runnable grow = () -> {
                while (started.get() < tuner.threads()) {
                    addWorker.run();
                }
            };
            grow.run();
            if (sharing != null && shared != null) {
                try {
                    sharing.accept(shared);
                } catch (RuntimeException | Error e) {
                    run.fault(e);
                }
                run.frontier().unshare();
            }
            coordinate(run, tuner, adapts, workers, running, grow);
            rethrow(run.fault());
            return new WalkResult<>(List.copyOf(used), !run.isStopped());
        }
    }

    private static int threadsWithinLimit(int descriptorsEach) {
        return Math.clamp((ProcessStatus.descriptorLimit() - DirectoryPool.RESERVED_DESCRIPTORS) / descriptorsEach, 1,
                WalkOptions.MAX_THREADS);
    }

    private static ThreadPoolExecutor pool(int most) {
        return new ThreadPoolExecutor(0, most, 1, TimeUnit.SECONDS, new SynchronousQueue<>(),
                Thread.ofPlatform().name("treehaul-walk-", 0).daemon(true).factory());
    }

    private <D, H extends WalkHandler<D>> void runWorker(WalkRun<D> run, int index, Function<WalkWorker<D>, H> handlers,
            List<H> used, List<WalkWorker<D>> workers, Phaser running) {
        WorkerTimes times = options.times() ? new WorkerTimes() : null;
        try (FileAccess access = FileAccess.open(times == null ? calls : times.calls().over(calls))) {
            WalkWorker<D> worker = new WalkWorker<>(index, run, access, times);
            H handler = handlers.apply(worker);
            worker.use(handler);
            used.add(handler);
            workers.add(worker);
            worker.loop();
        } catch (InterruptedException e) {
            run.quit();
        } catch (Throwable e) {
            // Whatever a handler throws must reach the caller; left in this thread it would look like a finished walk.
            run.fault(e);
        } finally {
            running.arriveAndDeregister();
        }
    }

    // Waits for the workers, passes a cancellation on to those that wait for work, and adapts their number.
    private static <D> void coordinate(WalkRun<D> run, ThreadTuner tuner, boolean adapts, List<WalkWorker<D>> workers,
            Phaser running, Runnable growPool) {
        boolean interrupted = false;
        int phase = running.arrive();
        WorkMeter meter = new WorkMeter();
        while (true) {
            try {
                running.awaitAdvanceInterruptibly(phase, TICK_MILLIS, TimeUnit.MILLISECONDS);
                break;
            } catch (TimeoutException tick) {
                Optional<ThreadTuner.Measured> measured = adapts && !run.isStopped()
                        ? meter.look(workers, tuner)
                        : Optional.empty();
                if (measured.isPresent()) {
                    int threads = tuner.next(measured.get());
                    if (threads != run.frontier().active()) {
                        run.frontier().activate(threads);
                        growPool.run();
                    }
                }
            } catch (InterruptedException e) {
                interrupted = true;
                run.quit();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void rethrow(@Nullable Throwable fault) {
        switch (fault) {
            case null -> {
            }
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(fault);
        }
    }

    /** Measures work and CPU time between two looks. */
    private static final class WorkMeter {

        // Fewer entries for each thread say little about a rate; but however slow they are, in the end they count.
        private static final long ENOUGH = 4;
        private static final double LONGEST_SECONDS = 1;

        // To look costs some of the CPU time that is measured.
        private static final double SHORTEST_SECONDS = 0.1;

        private long lastNanos = System.nanoTime();
        private long lastWork;
        private long lastTicks = ProcessStatus.cpuTicks().orElse(0L);
        private long lastIdle = ProcessStatus.idleTicks().orElse(0L);

        /** Returns what went on since the last time, once that is enough to judge by. */
        Optional<ThreadTuner.Measured> look(List<? extends WalkWorker<?>> workers, ThreadTuner tuner) {
            long now = System.nanoTime();
            double passed = (now - lastNanos) / 1e9;
            long work = 0;
            for (WalkWorker<?> worker : workers) {
                work += worker.workDone();
            }
            if (passed < LONGEST_SECONDS && (work - lastWork < ENOUGH * tuner.threads()
                    || passed < SHORTEST_SECONDS && !tuner.isSearching())) {
                return Optional.empty();
            }
            long ticks = ProcessStatus.cpuTicks().orElse(0L);
            long idle = ProcessStatus.idleTicks().orElse(Long.MAX_VALUE / 2);
            ThreadTuner.Measured measured = new ThreadTuner.Measured(passed, (work - lastWork) / passed,
                    (ticks - lastTicks) / 100.0 / passed, (idle - lastIdle) / 100.0 / passed);
            lastNanos = now;
            lastWork = work;
            lastTicks = ticks;
            lastIdle = idle;
            return Optional.of(measured);
        }
    }
}
