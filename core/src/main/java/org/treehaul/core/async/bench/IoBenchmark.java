// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.AsyncSettings;
import org.treehaul.core.async.AsyncSettings.Means;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.threads.Threads;

/**
 * Runs measurements in a directory: all threads of all clients begin at once, and the run ends with the last of them.
 * The time includes opening and closing each file. For one thread.
 */
public final class IoBenchmark {

    private final FileSystemCalls calls;
    private final BenchmarkFiles files;
    private final IoParameters parameters;
    private final BooleanSupplier isCancelled;
    private final Opener opener;

    /** Opens the asynchronous files of a client. */
    @FunctionalInterface
    public interface Opener {
        /** Opens them for a way with settings. */
        AsyncFiles open(IoWay way, AsyncSettings settings) throws IOException;
    }

    /**
     * Creates a measurement of local files.
     *
     * @param directory an empty directory
     * @param isCancelled is asked before each block; once it returns true, the run ends early
     */
    public IoBenchmark(FileSystemCalls calls, BenchmarkDirectory directory, IoParameters parameters,
            BooleanSupplier isCancelled) {
        this(calls, new LocalBenchmarkFiles(calls, directory, parameters), parameters, isCancelled,
                (way, settings) -> AsyncFiles.open(settings));
    }

    private IoBenchmark(FileSystemCalls calls, BenchmarkFiles files, IoParameters parameters,
            BooleanSupplier isCancelled, Opener opener) {
        this.calls = calls;
        this.files = files;
        this.parameters = parameters;
        this.isCancelled = isCancelled;
        this.opener = opener;
    }

    /**
     * Returns a measurement of other files, in all ways but {@link IoWay#SYNC}.
     *
     * @param isCancelled is asked before each block; once it returns true, the run ends early
     * @param opener opens those of each client
     */
    public static IoBenchmark of(FileSystemCalls calls, StoredBenchmarkFiles files, IoParameters parameters,
            BooleanSupplier isCancelled, Opener opener) {
        return new IoBenchmark(calls, files, parameters, isCancelled, opener);
    }

    /** Writes the files that runs read. Does nothing if they write. */
    public void prepare() throws IOException {
        if (!parameters.writes()) {
            files.writeAll(isCancelled);
        }
    }

    /**
     * Does one run.
     *
     * @return the elapsed nanoseconds; of no meaning if the run was cancelled
     * @throws IOException the first failure of a thread, after all have ended
     * @throws UnsupportedOperationException if the kernel provides no ring, and one is asked for
     */
    public long run(IoWay way) throws IOException {
        files.forget(isCancelled);
        List<AsyncFiles> opened = new ArrayList<>();
        try {
            List<IoWork> works = new ArrayList<>();
            for (int client = 0; client < parameters.clients(); client++) {
                AsyncFiles asynchronous = way == IoWay.SYNC ? null : opener.open(way, settings(way));
                if (asynchronous != null) {
                    opened.add(asynchronous);
                }
                for (int thread = 0; thread < parameters.threads(); thread++) {
                    IoWork.Share share = new IoWork.Share(files, of(way), client * parameters.threads() + thread,
                            isCancelled);
                    works.add(asynchronous == null ? new SyncWork(share, calls) : new AsyncWork(share, asynchronous));
                }
            }
            return timed(works);
        } finally {
            opened.forEach(AsyncFiles::close);
        }
    }

    private IoParameters of(IoWay way) {
        return way == IoWay.STAGE_SYNC ? parameters.withDepth(1) : parameters;
    }

    private AsyncSettings settings(IoWay way) {
        return AsyncSettings.defaults()
                .with(way == IoWay.RING ? Means.RING : Means.THREADS)
                .withThreads(parameters.threads())
                .withDepth(parameters.threads() * (parameters.depth() + 1));
    }

    private static long timed(List<IoWork> works) throws IOException {
        CountDownLatch begin = new CountDownLatch(1);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        List<Thread> threads = new ArrayList<>();
        long started;
        try {
            for (IoWork work : works) {
                threads.add(Thread.ofPlatform().name("treehaul-bench").daemon(true).start(() -> {
                    try {
                        begin.await();
                        work.run();
                    } catch (Throwable e) {
                        failure.compareAndSet(null, e);
                    }
                }));
            }
        } finally {
            started = System.nanoTime(); // before the work, which may be done when this thread runs again
            begin.countDown();
        }
        for (Thread thread : threads) {
            Threads.join(thread);
        }
        long elapsed = System.nanoTime() - started;
        switch (failure.get()) {
            case null -> {
                return elapsed;
            }
            case IOException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case Throwable e -> throw new IllegalStateException(e);
        }
    }
}
