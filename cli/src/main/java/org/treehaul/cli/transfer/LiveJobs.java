// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.transfer.StatusWatch;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;

/**
 * Determines which jobs of a transfer are left, by querying its scheduler. One object serves repeated queries about one
 * transfer.
 */
final class LiveJobs {

    private boolean isAbandoned;
    private boolean isUnsubmitted;
    private @Nullable StatusWatch watch;

    /** Returns the status of a transfer; if the last query was about it too, reads only what may have changed. */
    TransferStatus status(Transfers transfers, TransferDirectory transfer) throws IOException {
        StatusWatch known = watch;
        if (known == null || !known.transfer().path().equals(transfer.path())) {
            known = transfers.watch(transfer);
            watch = known;
        }
        return known.look();
    }

    /** Returns whether no job is left that would continue the transfer. */
    boolean isAbandoned() {
        return isAbandoned;
    }

    /** Returns the jobs left, or nothing if the transfer needs none. */
    Optional<JobsLeft> left(Transfers transfers, TransferStatus status) throws IOException {
        if (!TransferReport.isActive(status.state()) || status.generation() == 0) {
            return Optional.empty();
        }
        try {
            TransferDirectory transfer = transfers.open(status.id());
            TransferJobs jobs = TransferCommand.jobs(transfer);
            if (transfer.submittedJobs().stream().noneMatch(known -> known.generation() == status.generation())) {
                if (jobs.areLaunched()) {
                    // Another command may be about to submit jobs, and will have done so at the next look.
                    isAbandoned = isUnsubmitted;
                    isUnsubmitted = true;
                    return Optional
                            .of(JobsLeft.none("no job of it is submitted; unless a command is about to submit them, "
                                    + "'treehaul resume " + status.id() + "' continues it"));
                }
                return Optional.of(JobsLeft.unknown("its ranks were started by hand: when none of them is left, "
                        + "'treehaul resume " + status.id() + "' continues it"));
            }
            Map<String, JobState> live = jobs.live(status.generation());
            if (!live.isEmpty()) {
                return Optional.of(JobsLeft.of(live, finishing(transfer),
                        live.containsValue(JobState.WAITING) ? jobs.reasons(status.generation()) : List.of()));
            }
            // The last job may have ended since the state was read.
            if (!TransferReport.isActive(status(transfers, transfer).state())) {
                return Optional.empty();
            }
            isAbandoned = true;
            return Optional.of(JobsLeft.none("no job of it is left; 'treehaul resume " + status.id()
                    + "' continues it; " + TransferReport.output(transfer, jobs.withoutOutput(status.generation()),
                            jobs.failedPre(status.generation()))));
        } catch (TransferException e) {
            return Optional.of(JobsLeft.unknown(String.valueOf(e.getMessage())));
        } catch (SchedulerException e) {
            return Optional
                    .of(JobsLeft.unknown("cannot get the state of its jobs from the scheduler: " + e.getMessage()));
        }
    }

    private static Set<String> finishing(TransferDirectory transfer) throws IOException {
        return transfer.submittedJobs()
                .stream()
                .filter(jobs -> jobs.phase().equals(JobPhase.FINISH.word()))
                .flatMap(jobs -> jobs.ids().stream())
                .collect(Collectors.toSet());
    }
}
