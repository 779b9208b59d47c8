// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntConsumer;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.BandwidthShares;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.directory.WorkerErrors;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.BatchShare;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.schedulers.TransferJobs;

/**
 * The work of one job of a transfer: batches until none is left, and finishing by the job that ends last.
 *
 * @param generation the generation to which the job belongs
 * @param threads the number of threads; 0 for the options of the transfer
 * @param jobs the jobs of the transfer
 */
@Internal
public record JobWork(TransferDirectory transfer, int generation, int threads, TransferJobs jobs) {

    /**
     * Works as an independent worker, and records why it ends before all batches are done: finishing reports it, so
     * that users need not search the output of all jobs.
     *
     * @param index the number of the worker, from 0
     * @throws IOException as {@link Worker#work} does
     */
    public WorkResult work(int index, EventListener listener, Progress progress, Cancellation cancellation)
            throws IOException {
        return work(index, worker(index), listener, progress, cancellation);
    }

    /**
     * Works in the same way on the batches of a share.
     *
     * @param bandwidth keeps the share of the bandwidth for the next call
     * @param batches receives the number of each batch when an attempt at it has begun, and when it has ended
     */
    public WorkResult work(int index, BatchShare share, BandwidthShares bandwidth, IntConsumer batches,
            EventListener listener, Progress progress, Cancellation cancellation) throws IOException {
        return work(index, worker(index).withShare(share).withBandwidth(bandwidth).withChanges(batches), listener,
                progress, cancellation);
    }

    /**
     * Works as the first method does.
     *
     * @param batches receives the number of each batch when an attempt at it has begun, and when it has ended
     */
    public WorkResult work(int index, IntConsumer batches, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        return work(index, worker(index).withChanges(batches), listener, progress, cancellation);
    }

    private Worker worker(int index) {
        return Worker.of(Linux.calls(), transfer, generation).withThreads(threads).withIndex(index);
    }

    private WorkResult work(int index, Worker worker, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        try {
            WorkResult result = worker.work(listener, progress, cancellation);
            if (!result.problem().isEmpty()) {
                record(index, result.problem());
            }
            return result;
        } catch (IOException e) {
            record(index, StateDirectory.reason(e));
            throw e;
        }
    }

    private void record(int index, String problem) {
        try {
            WorkerErrors.of(transfer, generation).record(index, problem);
        } catch (IOException e) {
            // The caller has the reason, and the output of the job contains it.
        }
    }

    /**
     * Finishes the transfer if no work is left, and ends jobs that still wait. Otherwise the transfer would stay
     * unfinished while the finishing job, or a worker, waits in a queue.
     *
     * @param worked the result of the work of this job
     * @return the result; empty if batches are left, or another process is finishing or has finished
     * @throws IOException if the finishing job has to do it; the message gives the reason
     */
    public Optional<TransferResult> finishIfLast(WorkResult worked, EventListener listener, Progress progress,
            Cancellation cancellation) throws IOException {
        if (worked.ending() != WorkResult.Ending.DONE) {
            return Optional.empty();
        }
        Optional<TransferResult> result = Finishing.of(Linux.calls(), transfer, generation)
                .withThreads(threads)
                .finishIfLast(listener, progress, cancellation);
        if (result.filter(TransferResult::isFinal).isPresent()) {
            jobs.endWaiting(generation);
        }
        return result;
    }
}
