// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WrongMountException;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** Runs a generation of a transfer in this process: its workers, then its finishing. */
public final class TransferRunner {

    private final FileSystemCalls calls;
    private final TransferDirectory transfer;
    private int workers = 1;

    private TransferRunner(FileSystemCalls calls, TransferDirectory transfer) {
        this.calls = calls;
        this.transfer = transfer;
    }

    /** Returns a runner of a transfer. */
    public static TransferRunner of(FileSystemCalls calls, TransferDirectory transfer) {
        return new TransferRunner(calls, transfer);
    }

    /** Sets the number of batches processed concurrently; the default is 1. */
    public TransferRunner withWorkers(int number) {
        if (number < 1) {
            throw new IllegalArgumentException("workers must be 1 or more: " + number);
        }
        workers = number;
        return this;
    }

    /**
     * Runs the workers and the finishing. Blocks; all threads have ended when this returns.
     *
     * @param generation the generation that was started or resumed
     * @throws WrongMountException if the source or destination is not mounted
     * @throws IOException if the plan or the state directory cannot be read or written
     */
    public TransferResult run(int generation, EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        List<Future<WorkResult>> running = new ArrayList<>();
        try (ExecutorService executor = Executors
                .newThreadPerTaskExecutor(Thread.ofPlatform().name("treehaul-worker-", 0).factory())) {
            for (int i = 0; i < workers; i++) {
                Worker worker = Worker.of(calls, transfer, generation).withIndex(i);
                running.add(executor.submit(() -> worker.work(listener, progress, cancellation)));
            }
        }
        IOException first = null;
        for (Future<WorkResult> worker : running) {
            try {
                worker.get();
            } catch (ExecutionException e) {
                IOException problem = e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
                if (first == null) {
                    first = problem;
                } else {
                    first.addSuppressed(problem);
                }
            } catch (InterruptedException e) {
                throw new IllegalStateException("the executor was closed", e);
            }
        }
        if (first != null) {
            throw first;
        }
        return Finishing.of(calls, transfer, generation).finish(listener, progress, cancellation);
    }
}
