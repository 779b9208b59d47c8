// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.IOException;
import java.util.Map;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.StatusWatch;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/** Waits for one generation of a transfer. Used once, by one thread. */
final class Waiting {

    // Each look reads a small file for each running batch; the scheduler is queried about as often as a user would.
    // For short transfers, the first looks come sooner; the interval then grows.
    private static final long FIRST_LOOK_MILLIS = 100;
    private static final long LOOK_MILLIS = 1_000;
    // Between two looks, a single call shows whether the transfer has ended: the end of a short one is seen within an eighth
    // of its time.
    private static final long GLANCE_PART = 8;
    private static final long FIRST_QUESTION_MILLIS = 2_000;
    private static final long QUESTION_MILLIS = 10_000;
    private static final long NAP_MILLIS = 50;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final long LONGEST_UNREAD_NANOS = 600_000 * NANOS_PER_MILLI;

    /** The clock by which it waits. */
    interface Clock {
        /** The clock of this machine. */
        Clock SYSTEM = new Clock() {
            @Override
            public long nanos() {
                return System.nanoTime();
            }

            @Override
            public void sleep(long millis) throws InterruptedException {
                Thread.sleep(millis);
            }
        };

        /** Returns the time, of which only differences have a meaning. */
        long nanos();

        /** Sleeps for a time. */
        void sleep(long millis) throws InterruptedException;
    }

    private final StatusWatch watch;
    private final TransferDirectory transfer;
    private final TransferJobs jobs;
    private final int generation;
    private final WaitListener listener;
    private final Clock clock;
    private String reasons = "";
    private boolean isUnread;
    private long unreadSince;

    Waiting(Transfers transfers, TransferDirectory transfer, TransferJobs jobs, int generation, WaitListener listener,
            Clock clock) {
        this.watch = transfers.watch(transfer);
        this.transfer = transfer;
        this.jobs = jobs;
        this.generation = generation;
        this.listener = listener;
        this.clock = clock;
    }

    WaitEnd await(Cancellation cancellation) throws IOException, InterruptedException {
        long began = clock.nanos();
        long pause = FIRST_LOOK_MILLIS;
        long untilQuestion = FIRST_QUESTION_MILLIS;
        long nextQuestion = began + untilQuestion * NANOS_PER_MILLI;
        boolean wasStopped = false;
        while (true) {
            TransferStatus status = look();
            if (status == null) {
                pause = LOOK_MILLIS;
            } else {
                listener.onStatus(status);
                if (isOver(status)) {
                    return end(status);
                }
                if (isStopped(status) && !wasStopped) {
                    wasStopped = true;
                    untilQuestion = FIRST_QUESTION_MILLIS / 2;
                    nextQuestion = clock.nanos();
                }
                if (clock.nanos() - nextQuestion >= 0) {
                    TransferStatus last = withoutJobs();
                    if (last != null && last.result().isEmpty()) {
                        return new WaitEnd.JobsGone(jobs.withoutOutput(generation));
                    }
                    if (last != null && isStopped(last)) {
                        return end(last);
                    }
                    untilQuestion = Math.min(QUESTION_MILLIS, untilQuestion * 2);
                    nextQuestion = clock.nanos() + untilQuestion * NANOS_PER_MILLI;
                }
                pause = Math.min(LOOK_MILLIS, pause * 3 / 2);
            }
            long glanced = clock.nanos();
            for (long slept = 0; slept < pause; slept += NAP_MILLIS) {
                if (cancellation.isCancelled()) {
                    return new WaitEnd.Interrupted();
                }
                clock.sleep(NAP_MILLIS);
                long now = clock.nanos();
                if (now - glanced >= (now - began) / GLANCE_PART) {
                    if (watch.hasEnded(generation)) {
                        break;
                    }
                    glanced = now;
                }
            }
        }
    }

    private boolean isOver(TransferStatus status) {
        return status.generation() != generation || !status.state().isActive() && !isStopped(status);
    }

    // Slurm runs a finishing job again that was stopped because it was preempted or an administrator requeued it.
    private static boolean isStopped(TransferStatus status) {
        return status.result().filter(result -> result.state() == TransferResult.State.STOPPED).isPresent();
    }

    private WaitEnd end(TransferStatus status) {
        if (status.generation() != generation) {
            return new WaitEnd.Replaced(status);
        }
        if (status.state() == TransferStatus.State.COMPLETE || status.state() == TransferStatus.State.PARTIAL) {
            jobs.endWaiting(generation);
        }
        return status.result().isPresent() ? new WaitEnd.Finished(status) : new WaitEnd.Replaced(status);
    }

    // The server with the state directory may be away for a while, which does not end the jobs.
    private @Nullable TransferStatus look() throws IOException {
        try {
            TransferStatus status = watch.look();
            isUnread = false;
            return status;
        } catch (IOException e) {
            long now = clock.nanos();
            if (!StateDirectory.isUnreadable(e) || transfer.isForgotten()
                    || isUnread && now - unreadSince > LONGEST_UNREAD_NANOS) {
                throw e;
            }
            if (!isUnread) {
                isUnread = true;
                unreadSince = now;
                listener.onUnreadable(e);
            }
            return null;
        }
    }

    // Returns the status if no job is alive: jobs that have just ended may have written their result since the last look.
    private @Nullable TransferStatus withoutJobs() throws IOException {
        try {
            Map<String, JobState> live = jobs.live(generation);
            reportReasons(live);
            return live.isEmpty() ? look() : null;
        } catch (SchedulerException e) {
            listener.onNoAnswer(e);
            return null;
        } catch (IOException e) {
            if (StateDirectory.isUnreadable(e)) {
                return null;
            }
            throw e;
        }
    }

    private void reportReasons(Map<String, JobState> live) throws IOException {
        if (live.containsValue(JobState.WAITING) && !live.containsValue(JobState.RUNNING)) {
            String now = String.join("; ", jobs.reasons(generation));
            if (!now.isEmpty() && !now.equals(reasons)) {
                listener.onQueued(now);
            }
            reasons = now;
        }
    }
}
