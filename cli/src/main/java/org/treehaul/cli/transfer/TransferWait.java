// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;
import org.treehaul.cli.report.Text;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/** Waits for the jobs of a transfer and shows their progress. */
public final class TransferWait {

    // Each look reads a small file per batch; the scheduler is asked as often as users would. The first looks come
    // sooner, for short transfers, and then less and less often.
    private static final long FIRST_LOOK_MILLIS = 100;
    private static final long LOOK_MILLIS = 1000;
    private static final long FIRST_QUESTION_MILLIS = 2_000;
    private static final long QUESTION_MILLIS = 10_000;
    private static final long NAP_MILLIS = 50;
    private static final long LONGEST_UNREAD_NANOS = 600_000_000_000L;

    private final Transfers transfers;
    private final TransferDirectory transfer;
    private final TransferJobs jobs;
    private final CommonOptions common;
    private final Screen screen;
    private String reason = "";
    // The time of the first failed read of the state directory, or 0 while it is readable.
    private long unreadSince;

    public TransferWait(Transfers transfers, TransferDirectory transfer, TransferJobs jobs, CommonOptions common) {
        this.transfers = transfers;
        this.transfer = transfer;
        this.jobs = jobs;
        this.common = common;
        this.screen = common.screen();
    }

    /**
     * Waits until the transfer is finished, its jobs are gone, or it is cancelled, and reports the result.
     *
     * @return the exit code
     */
    public ExitCode await(int generation, Cancellation cancellation) throws IOException, InterruptedException {
        boolean isBar = common.progress == CommonOptions.When.always
                || common.progress == CommonOptions.When.auto && Terminal.is(Terminal.ERR);
        boolean hasLines = common.progress != CommonOptions.When.never && !isBar;
        long nextLine = System.nanoTime() + common.interval * 1_000_000_000L;
        long pause = FIRST_LOOK_MILLIS;
        long untilQuestion = FIRST_QUESTION_MILLIS;
        long nextQuestion = System.nanoTime() + untilQuestion * 1_000_000;
        while (true) {
            TransferStatus status = look();
            if (status == null) {
                if (isStoppedWithin(LOOK_MILLIS, cancellation)) {
                    return ExitCode.INTERRUPTED;
                }
                continue;
            }
            if (status.result().isPresent() || !TransferReport.goesOn(status.state())
                    || status.generation() != generation) {
                screen.status("");
                if (status.generation() == generation && (status.state() == TransferStatus.State.COMPLETE
                        || status.state() == TransferStatus.State.PARTIAL)) {
                    TransferCommand.endWaiting(transfer, generation);
                }
                return end(status, generation);
            }
            if (isBar) {
                screen.status(TransferReport.line(status));
            } else if (hasLines && System.nanoTime() - nextLine >= 0) {
                nextLine += common.interval * 1_000_000_000L;
                screen.note(TransferReport.line(status));
            }
            if (System.nanoTime() - nextQuestion >= 0) {
                if (isAbandoned(generation)) {
                    screen.status("");
                    screen.error("no job of " + transfer.id() + " is left, but it is not finished; 'treehaul resume "
                            + transfer.id() + "' continues it; "
                            + TransferReport.output(transfer, jobs.withoutOutput(generation)));
                    return ExitCode.PARTIAL;
                }
                untilQuestion = Math.min(QUESTION_MILLIS, untilQuestion * 2);
                nextQuestion = System.nanoTime() + untilQuestion * 1_000_000;
            }
            pause = Math.min(LOOK_MILLIS, pause * 3 / 2);
            if (isStoppedWithin(pause, cancellation)) {
                return ExitCode.INTERRUPTED;
            }
        }
    }

    private boolean isStoppedWithin(long millis, Cancellation cancellation) throws InterruptedException {
        for (long slept = 0; slept < millis; slept += NAP_MILLIS) {
            if (cancellation.isCancelled()) {
                screen.status("");
                screen.note("the jobs continue: 'treehaul status " + transfer.id() + "' shows them, 'treehaul cancel "
                        + transfer.id() + "' ends them");
                return true;
            }
            Thread.sleep(NAP_MILLIS);
        }
        return false;
    }

    // The server with the state directory may be away for a while, which does not end the jobs.
    private @Nullable TransferStatus look() throws IOException {
        try {
            TransferStatus status = transfers.status(transfer);
            unreadSince = 0;
            return status;
        } catch (IOException e) {
            long now = System.nanoTime();
            if (!StateDirectory.isUnreadable(e) || Files.notExists(transfer.path())
                    || unreadSince != 0 && now - unreadSince > LONGEST_UNREAD_NANOS) {
                throw e;
            }
            if (unreadSince == 0) {
                unreadSince = now;
                screen.status("");
                screen.note("cannot read the state directory now (" + StateDirectory.reason(e)
                        + "); the jobs continue, and reading is retried");
            }
            return null;
        }
    }

    // Jobs that have just ended may have written their result since the last look.
    private boolean isAbandoned(int generation) throws IOException {
        try {
            Map<String, JobState> live = jobs.live(generation);
            tellWhyTheyWait(live, generation);
            TransferStatus status = live.isEmpty() ? look() : null;
            return status != null && status.result().isEmpty();
        } catch (SchedulerException e) {
            screen.note("cannot get the state of the jobs from the scheduler: " + e.getMessage());
            return false;
        } catch (IOException e) {
            if (StateDirectory.isUnreadable(e)) {
                return false;
            }
            throw e;
        }
    }

    // Reports each reason once, while no job is running.
    private void tellWhyTheyWait(Map<String, JobState> live, int generation) throws IOException {
        if (live.containsValue(JobState.WAITING) && !live.containsValue(JobState.RUNNING)) {
            String now = String.join("; ", jobs.reasons(generation));
            if (!now.isEmpty() && !now.equals(reason)) {
                screen.note("no job is running yet; they wait for: " + now);
            }
            reason = now;
        }
    }

    /** Reports the result and returns the exit code. */
    public ExitCode end(TransferStatus status, int generation) throws IOException {
        if (status.generation() != generation || status.result().isEmpty()) {
            screen.note(transfer.id() + " was "
                    + (status.state() == TransferStatus.State.CANCELLED ? "cancelled" : "resumed by another command"));
            return ExitCode.INTERRUPTED;
        }
        if (common.json) {
            JsonLines json = new JsonLines(Output.standard());
            TransferReport.json(json, status, false, Optional.empty());
            json.flush();
        }
        TransferResult result = status.result().get();
        if (!result.problem().isEmpty()) {
            screen.error(result.problem());
        }
        if (result.state() == TransferResult.State.INCOMPLETE) {
            List<String> silent = jobs.withoutOutput(generation);
            if (!silent.isEmpty()) {
                screen.error(TransferReport.output(transfer, silent));
            }
        }
        StringBuilder text = new StringBuilder(TransferReport.word(result.state())).append(": ")
                .append(Text.count(result.done()))
                .append(" of ")
                .append(Text.count(result.entries()))
                .append(" entries");
        if (result.unplanned() > 0) {
            text.append(", and ").append(Text.count(result.unplanned())).append(" that were not planned");
        }
        if (result.changed() > 0) {
            text.append(", ").append(Text.count(result.changed())).append(" had changed since planning");
        }
        if (result.failed() > 0) {
            text.append(", ")
                    .append(Text.count(result.failed()))
                    .append(" errors: 'treehaul errors ")
                    .append(transfer.id())
                    .append("' lists them");
        }
        if (result.state() != TransferResult.State.COMPLETE) {
            text.append("; 'treehaul resume ").append(transfer.id()).append("' tries again");
        }
        screen.note(text.toString());
        boolean isTried = result.state() == TransferResult.State.COMPLETE
                || result.state() == TransferResult.State.PARTIAL;
        return ExitCode.of(result.failures(), isTried, false);
    }
}
