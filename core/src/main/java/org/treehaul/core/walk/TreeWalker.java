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
import org.treehaul.core.annotation.Api;
import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.DirectoryPool;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.ProcessStatus;
import org.treehaul.core.walk.frontier.SharedWork;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.SelectedEntries;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.tuning.ThreadTuner;
import org.treehaul.core.walk.tuning.WorkMeter;

/**
 * Walks trees with many threads. It keeps no state between walks and may be used by any number of threads.
 *
 * <p>
 * Memory stays small for any tree: the subdirectories of the directories on the way down bound the waiting work, and
 * the walk keeps nothing of a handled entry. Paths may have any depth and length.
 */
@Api
public final class TreeWalker implements Walker {

    /**
     * The largest number of threads that the walk chooses, if there are a megabyte of Java heap and
     * {@link #DESCRIPTORS_ON_TWO_TREES} for each: each also takes a megabyte of scratch memory.
     */
    public static final int MOST_CHOSEN_THREADS = 128;

    // The walk chooses up to this number with a small heap, too.
    private static final int MOST_IN_LITTLE_MEMORY = 64;

    /** The descriptors that each thread needs: it holds one directory, and one more on the way to it. */
    public static final int DESCRIPTORS_ON_ONE_TREE = 3;

    /** The descriptors that each thread needs if it works on two trees at once: {@link #threadsOnTwoTrees}. */
    public static final int DESCRIPTORS_ON_TWO_TREES = 9;

    private static final String THREAD_NAME = "treehaul-walk-";

    private final FileSystemCalls calls;
    private final WalkOptions options;

    private TreeWalker(FileSystemCalls calls, WalkOptions options) {
        this.calls = calls;
        this.options = options;
    }

    /** Returns a walker with these calls and options. */
    public static TreeWalker of(FileSystemCalls calls, WalkOptions options) {
        return new TreeWalker(calls, options);
    }

    @Override
    public WalkOptions options() {
        return options;
    }

    /**
     * Returns how many threads may work on two trees at once. Each holds two directories open, and two files and
     * sometimes one more descriptor; beyond the descriptors that remain besides the directories' budgets, further
     * threads would only fail for lack of descriptors.
     *
     * @param threads the number requested; 0 for as many as pay off
     * @return at most the number requested; 0 if the limit does not affect the choice
     */
    public static int threadsOnTwoTrees(int threads) {
        int most = threadsWithinLimit(DESCRIPTORS_ON_TWO_TREES);
        if (threads != 0) {
            return Math.min(threads, most);
        }
        int cores = Runtime.getRuntime().availableProcessors();
        return most >= MOST_IN_LITTLE_MEMORY ? 0 : Math.min(most, 2 * cores);
    }

    @Override
    @Internal
    public <D, H extends WalkHandler<D>> WalkResult<H> walkWith(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher) {
        try (SharedWalkContext<D> sharedContext = SharedWalkContext.of(calls, roots, options.directoryBudget())) {
            return walk(sharedContext, handlers, cancellation, watcher, true, null, false);
        }
    }

    /**
     * Runs one of several walks in this process that share the work of the same roots, each in a rank of its own. The
     * options must set the number of threads. Among all walks, each directory is entered once, and left once by the
     * walk that completes the last part of it.
     *
     * @param sharedContext the state that the walks share; its roots are walked
     * @param begins whether this walk starts with the roots: exactly one walk must
     * @param sharing called on this thread while the workers run, to move work. After it returns, no more work comes
     *        from others, and the walk completes the work that it has
     * @return the handlers of this rank, each with the data it collected
     */
    @Internal
    public <D, H extends WalkHandler<D>> WalkResult<H> walkShared(SharedWalkContext<D> sharedContext,
            Function<WalkWorker<D>, H> handlers, Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher,
            boolean begins, Consumer<SharedWork> sharing) {
        checkShared(sharedContext.roots());
        return walk(sharedContext, handlers, cancellation, watcher, begins, sharing, false);
    }

    /**
     * Walks as {@link #walkShared} does, but the other walks run in other processes. Each walk that does a part of a
     * shared directory enters it and the directories on the way to it; its entry is handled once among all walks. The
     * walk that found it {@linkplain WalkHandler#leave leaves} it when its own part is done and the rest is given away;
     * if its attachment is a {@link DividedDirectory}, it is notified of the entries given away.
     */
    @Internal
    public <D, H extends WalkHandler<D>> WalkResult<H> walkPart(List<Root> roots, Function<WalkWorker<D>, H> handlers,
            Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher, boolean begins,
            Consumer<SharedWork> sharing) {
        checkShared(roots);
        try (SharedWalkContext<D> sharedContext = SharedWalkContext.of(calls, roots, options.directoryBudget())) {
            return walk(sharedContext, handlers, cancellation, watcher, begins, sharing, true);
        }
    }

    private void checkShared(List<Root> roots) {
        if (options.threads() == 0) {
            throw new IllegalArgumentException("a shared walk needs a number of threads");
        }
        if (roots.stream().flatMap(root -> root.selection().stream()).anyMatch(SelectedEntries.class::isInstance)) {
            throw new IllegalArgumentException("a selection of single entries cannot be shared among ranks");
        }
    }

    private <D, H extends WalkHandler<D>> WalkResult<H> walk(SharedWalkContext<D> sharedContext,
            Function<WalkWorker<D>, H> handlers, Cancellation cancellation, Consumer<List<WalkWorker<D>>> watcher,
            boolean begins, @Nullable Consumer<SharedWork> sharing, boolean isPart) {
        boolean adapts = options.threads() == 0;
        int most = adapts ? mostChosen() : Math.min(options.threads(), threadsWithinLimit(DESCRIPTORS_ON_ONE_TREE));
        int cores = Runtime.getRuntime().availableProcessors();
        ThreadTuner tuner = adapts ? new ThreadTuner(cores, most) : ThreadTuner.fixed(cores, most);
        List<H> used = new CopyOnWriteArrayList<>();
        AtomicInteger started = new AtomicInteger();
        List<WalkWorker<D>> workers = new CopyOnWriteArrayList<>();
        watcher.accept(workers);
        WalkRun<D> run = new WalkRun<>(options, sharedContext, cancellation, most, tuner.threads());
        try (ThreadPoolExecutor pool = pool(most)) {
            SharedWork shared = sharing == null ? null : new SharedWalk<>(run, run.share(isPart));
            for (int i = 0; begins && i < sharedContext.roots().size(); i++) {
                run.frontier().push(i % tuner.threads(), new Work.RootWork<>(i));
            }
            Phaser running = new Phaser(1);
            Runnable addWorker = () -> {
                int index = started.getAndIncrement();
                running.register();
                try {
                    pool.execute(() -> runWorker(run, index, handlers, used, workers, running));
                } catch (OutOfMemoryError e) {
                    // The process has reached a limit on threads or processes (ulimit -u): the threads that run do the work.
                    running.arriveAndDeregister();
                    started.set(most);
                    if (index == 0) {
                        throw e;
                    }
                    // Not a field: finding the logger takes time at every start, and opens every jar of the class path.
                    LoggerFactory.getLogger(TreeWalker.class)
                            .warn("thread {} could not be started, continuing with fewer: {}", index + 1,
                                    e.getMessage());
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

    private static int mostChosen() {
        long byMemory = Math.clamp(Runtime.getRuntime().maxMemory() >> 20, MOST_IN_LITTLE_MEMORY, MOST_CHOSEN_THREADS);
        // A walk of one tree has enough descriptors for the smaller number wherever there are some hundred.
        int byDescriptors = Math.max(threadsWithinLimit(DESCRIPTORS_ON_TWO_TREES),
                Math.min(MOST_IN_LITTLE_MEMORY, threadsWithinLimit(DESCRIPTORS_ON_ONE_TREE)));
        return (int) Math.min(byMemory, byDescriptors);
    }

    private static int threadsWithinLimit(int descriptorsEach) {
        return Math.clamp((ProcessStatus.descriptorLimit() - DirectoryPool.RESERVED_DESCRIPTORS) / descriptorsEach, 1,
                WalkOptions.MAX_THREADS);
    }

    private static ThreadPoolExecutor pool(int most) {
        AtomicInteger number = new AtomicInteger();
        // The JVM would make five classes at each start for the names that a builder of threads counts.
        return new ThreadPoolExecutor(0, most, 1, TimeUnit.SECONDS, new SynchronousQueue<>(),
                work -> Thread.ofPlatform().name(THREAD_NAME + number.getAndIncrement()).daemon(true).unstarted(work));
    }

    private <D, H extends WalkHandler<D>> void runWorker(WalkRun<D> run, int index, Function<WalkWorker<D>, H> handlers,
            List<H> used, List<WalkWorker<D>> workers, Phaser running) {
        WorkerTimes times = options.times() ? new WorkerTimes() : null;
        try (FileAccess access = FileAccess.open(times == null ? calls : times.calls().over(calls))) {
            WorkerThread<D> worker = new WorkerThread<>(index, run, access, times);
            H handler = handlers.apply(worker);
            worker.use(handler);
            used.add(handler);
            workers.add(worker);
            worker.loop();
        } catch (InterruptedException e) {
            run.quit();
        } catch (Throwable e) {
            // An exception from a handler must reach the caller; left in this thread, it would look like a finished walk.
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
        WorkMeter meter = new WorkMeter(THREAD_NAME);
        while (true) {
            try {
                running.awaitAdvanceInterruptibly(phase, WorkMeter.TICK_MILLIS, TimeUnit.MILLISECONDS);
                break;
            } catch (TimeoutException tick) {
                if (run.isStopped() || !adapts && !meter.isLooking()) {
                    continue;
                }
                if (run.isFarByType() && !meter.isFar()) {
                    meter.setFar();
                    run.setFar(true);
                    use(tuner.beginFar(), run, growPool);
                }
                Optional<ThreadTuner.Measured> measured = meter.look(timedWork(workers), run.frontier().idle(), tuner);
                if (measured.isPresent()) {
                    run.setFar(meter.isFar());
                    if (adapts) {
                        use(tuner.next(measured.get()), run, growPool);
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

    private static void use(int threads, WalkRun<?> run, Runnable growPool) {
        if (threads != run.frontier().active()) {
            run.frontier().activate(threads);
            growPool.run();
        }
    }

    private static long timedWork(List<? extends WalkWorker<?>> workers) {
        long work = 0;
        for (WalkWorker<?> worker : workers) {
            // The walk makes no other workers.
            work += ((WorkerThread<?>) worker).timedWork();
        }
        return work;
    }

    private static void rethrow(@Nullable Throwable fault) {
        // No switch, for which the JVM would make a class at each start.
        if (fault instanceof RuntimeException e) {
            throw e;
        }
        if (fault instanceof Error e) {
            throw e;
        }
        if (fault != null) {
            throw new IllegalStateException(fault);
        }
    }
}
