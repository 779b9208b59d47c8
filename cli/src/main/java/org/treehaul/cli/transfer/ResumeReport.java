// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;

import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.report.Text;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.batch.BatchTransfer;

/**
 * Reports the jobs of a resumed transfer.
 *
 * @param bandwidth the limit of all jobs that was given, in bytes per second
 */
public record ResumeReport(CommonOptions common, OptionalLong bandwidth) {

    /** Prints notes about entries that were not planned and about the limit, and the number of jobs. */
    public void print(BatchTransfer batch, TransferStatus before, int generation, JobOptions wanted)
            throws IOException {
        Outlook.ofUnplanned(before).ifPresent(common.screen()::note);
        bandwidth.ifPresent(limit -> BandwidthNotice.of(limit).ifPresent(common.screen()::note));
        List<SubmittedJobs> all = batch.submittedJobs()
                .stream()
                .filter(some -> some.generation() == generation)
                .toList();
        // Several submissions of workers, if each host that has open batches got its own; none if there is no such host.
        int count = all.stream()
                .filter(some -> some.phase().equals(JobPhase.WORKER.word()))
                .mapToInt(SubmittedJobs::jobs)
                .sum();
        String scheduler = all.getFirst().scheduler();
        common.screen()
                .note("resumed " + batch.id() + " with "
                        + Text.count(count, wanted.ranks() > 0 ? "rank" : "job", wanted.ranks() > 0 ? "ranks" : "jobs")
                        + " of " + scheduler);
        SubmissionReport.noteUnused(scheduler, batch.directory().operation(), wanted, common.screen());
    }
}
