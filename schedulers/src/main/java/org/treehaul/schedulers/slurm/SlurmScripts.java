// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.slurm;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.schedulers.JobPhase;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.Script;
import org.treehaul.schedulers.common.JobArray;
import org.treehaul.schedulers.common.JobBody;

/** Job scripts for Slurm. */
final class SlurmScripts {

    private static final List<String> ENVIRONMENT = List.of("directory=$SLURM_SUBMIT_DIR");

    // A job that a job of an array submits inherits these, and would have that job requeued in place of itself.
    private static final String NO_ARRAY = "unset \"${!SLURM_ARRAY_@}\"";

    // Uses the id of the array and the index, because some commands do not accept the raw id of an array's job. A newer
    // generation means that the user resumed or cancelled the transfer. Slurm ends all processes of the run at once, also
    // scontrol before it has reported, so that a job which runs again could be taken for one that has ended. A controller
    // that restarts, or that all jobs of an array ask at the same time, may not answer: once it has requeued the job,
    // another request changes nothing. But after TERM a request would start a job again that the user has cancelled.
    private static final String REQUEUE = """
            if ((result == 20)) && [[ $why == USR1 && ! -e generations/@NEXT@ ]]@BOUND@; then
                job=$SLURM_JOB_ID
                [[ -z $SLURM_ARRAY_JOB_ID ]] || job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
                say "the time limit is reached: job $job is requeued"
                SECONDS=0
                for ((tries = 1;; tries++)); do
                    if [[ $why == TERM ]] || answer=$(trap '' TERM; exec scontrol requeue "$job" 2>&1) \\
                        || [[ $answer == *"is pending"* ]]; then
                        sleep 60 # until Slurm ends this run
                        exit "$result"
                    fi
                    say "$answer"
                    ((tries == 10 || SECONDS > @PATIENCE@)) || [[ $answer =~ disabled|denied|not\\ found|nvalid\\ job ]] && break
                    sleep $((3 + RANDOM % 8))
                    [[ ! -e generations/@NEXT@ ]] || break
                done
            fi""";

    // The most requeues of the finishing job. A worker that runs again has completed at least one file; finishing may make
    // no progress if the time limit is too short.
    private static final int FINISHING = 100;

    // The script starts itself on every node, with the name of the meeting as its argument; the name changes when Slurm
    // runs the job again. The ranks end together by themselves and print the reason; Slurm would kill them before they
    // do.
    private static final String SPREAD = """
            if [[ -z $meet ]]; then
                on_signal() {
                    signals=$((signals + 1)) why=$1
                    kill -USR1 "$child" 2> /dev/null # at TERM srun would kill the ranks
                }
                run srun --quiet --nodes=@RANKS@ --ntasks=@RANKS@ --ntasks-per-node=1 --cpu-bind=none --mpi=none \\
                    --kill-on-bad-exit=0 --wait=0 --label bash "$PWD/launch/@SCRIPT@" "$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}"
                result=$code
                @END@
                exit "$result"
            fi""";

    private SlurmScripts() {}

    /**
     * Returns the script of an array.
     *
     * @param after ids of the jobs it waits for, without clusters
     */
    static Script render(JobRequest request, JobArray array, List<String> after, String name) {
        List<String> lines = new ArrayList<>(request.options());
        lines.add("--job-name=" + request.jobName());
        lines.add("--output=log/%x-" + (array.isArray() ? "%A_%a" : "%j") + ".out");
        // A requeued job, by its own command or after the loss of its node, continues its log.
        lines.add("--open-mode=append");
        if (array.isArray()) {
            lines.add("--array=" + array.range());
        }
        if (!request.host().isEmpty()) {
            lines.add("--nodelist=" + request.host());
        }
        if (!after.isEmpty()) {
            lines.add("--dependency=afterany:" + String.join(":", after));
        }
        request.walltime().ifPresent(limit -> lines.add("--time=" + JobBody.clock(limit)));
        Duration notice = request.walltime().map(JobBody::notice).orElse(JobBody.notice());
        if (request.phase() == JobPhase.WORKER || request.requeue()) {
            lines.add("--signal=B:USR1@" + notice.toSeconds());
            if (request.requeue()) {
                lines.add("--requeue");
            }
        }
        List<String> environment = new ArrayList<>(ENVIRONMENT);
        if (!array.isArray()) {
            environment.add(NO_ARRAY);
        }
        if (request.isRanks()) {
            lines.add("--nodes=" + request.jobs());
            lines.add("--ntasks-per-node=1");
            environment.add("index=$SLURM_PROCID meet=$1");
        } else if (request.phase() == JobPhase.WORKER) {
            environment.add("index=$((" + array.firstIndex() + " + ${SLURM_ARRAY_TASK_ID:-0}))");
        }
        String bound = request.phase() == JobPhase.FINISH
                ? " && ((${SLURM_RESTART_COUNT:-0} < " + FINISHING + "))"
                : "";
        List<String> end = request.requeue()
                ? List.of(REQUEUE.replace("@NEXT@", Integer.toString(request.generation() + 1))
                        .replace("@BOUND@", bound)
                        .replace("@PATIENCE@", Long.toString(notice.toSeconds() * 2 / 3)))
                : List.of();
        List<String> spread = List.of();
        if (request.isRanks()) {
            spread = List.of(SPREAD.replace("@RANKS@", Integer.toString(request.jobs()))
                    .replace("@SCRIPT@", name)
                    .replace("    @END@\n", end.isEmpty() ? "" : end.getFirst().indent(4)));
            end = List.of();
        }
        StringBuilder text = new StringBuilder("#!/bin/bash\n");
        lines.forEach(line -> text.append("#SBATCH ").append(line).append('\n'));
        text.append(JobBody.of(request, environment, spread, false, 0, end));
        return new Script(name, text.toString());
    }
}
