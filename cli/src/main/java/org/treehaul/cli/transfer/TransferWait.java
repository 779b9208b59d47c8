// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.MetricsFile;
import org.treehaul.cli.report.Screen;
import org.treehaul.cli.report.Terminal;
import org.treehaul.cli.report.Text;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.batch.BatchTransfer;
import org.treehaul.schedulers.batch.WaitEnd;
import org.treehaul.schedulers.batch.WaitListener;

/** Waits for the jobs of a transfer and shows their progress. */
public final class TransferWait implements WaitListener {

    private final BatchTransfer transfer;
    private final CommonOptions common;
    private final Screen screen;
    private final boolean isBar;
    private final boolean hasLines;
    private final Optional<MetricsFile> metrics;
    private long nextLine;
    private long nextMetrics = System.nanoTime();

    public TransferWait(BatchTransfer transfer, CommonOptions common) {
        this.transfer = transfer;
        this.common = common;
        this.screen = common.screen();
        this.metrics = common.metrics();
        isBar = common.progress == CommonOptions.When.always
                || common.progress == CommonOptions.When.auto && Terminal.takesBar();
        hasLines = common.progress != CommonOptions.When.never && !isBar;
        nextLine = System.nanoTime() + common.interval.toNanos();
    }

    /**
     * Waits until the transfer is finished, its jobs are gone, or it is cancelled, and reports the result.
     *
     * @return the exit code
     */
    public ExitCode await(int generation, Cancellation cancellation) throws IOException, InterruptedException {
        WaitEnd end = transfer.await(generation, this, cancellation);
        screen.status("");
        metrics.ifPresent(file -> write(file, end));
        return switch (end) {
            case WaitEnd.Finished(TransferStatus status) -> report(status, generation);
            case WaitEnd.Replaced(TransferStatus status) -> report(status, generation);
            case WaitEnd.JobsGone gone -> {
                screen.error("no job of " + transfer.id() + " is left, but it is not finished; 'treehaul resume "
                        + transfer.id() + "' continues it; " + TransferReport.output(transfer.directory(),
                                gone.silent(), TransferCommand.jobs(transfer.directory()).failedPre(generation)));
                yield ExitCode.PARTIAL;
            }
            case WaitEnd.Interrupted() -> {
                screen.note("the jobs continue: 'treehaul status " + transfer.id() + "' shows them, 'treehaul cancel "
                        + transfer.id() + "' ends them");
                yield ExitCode.INTERRUPTED;
            }
        };
    }

    private ExitCode report(TransferStatus status, int generation) throws IOException {
        return new ResultReport(transfer.directory(), common).print(status, generation);
    }

    private static void write(MetricsFile file, WaitEnd end) {
        switch (end) {
            case WaitEnd.Finished(TransferStatus status) -> write(file, status);
            case WaitEnd.Replaced(TransferStatus status) -> write(file, status);
            case WaitEnd.JobsGone gone -> {
            }
            case WaitEnd.Interrupted() -> {
            }
        }
    }

    private static void write(MetricsFile file, TransferStatus status) {
        file.write(TransferMetrics.of(List.of(status), Instant.now()));
    }

    @Override
    public void onStatus(TransferStatus status) {
        if (!status.state().isActive()) {
            return;
        }
        if (metrics.isPresent() && System.nanoTime() - nextMetrics >= 0) {
            nextMetrics = System.nanoTime() + common.interval.toNanos();
            write(metrics.get(), status);
        }
        if (isBar) {
            screen.status(TransferReport.line(status));
        } else if (hasLines && System.nanoTime() - nextLine >= 0) {
            nextLine += common.interval.toNanos();
            screen.note(Text.timeOfDay(Instant.now()) + " " + TransferReport.line(status));
        }
    }

    @Override
    public void onUnreadable(IOException failure) {
        screen.status("");
        screen.note("cannot read the state directory now (" + StateDirectory.reason(failure)
                + "); the jobs continue, and reading is retried");
    }

    @Override
    public void onNoAnswer(SchedulerException failure) {
        screen.note("cannot get the state of the jobs from the scheduler: " + failure.getMessage());
    }

    @Override
    public void onQueued(String reasons) {
        screen.note("no job is running yet; they wait for: " + reasons);
    }
}
