// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.directory.Generations;
import org.treehaul.core.transfer.directory.OvertakenException;
import org.treehaul.core.transfer.directory.SubmittedJobs;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * Starts, resumes and cancels the jobs of one transfer, and records their ids in its directory. Several processes may
 * do so at once: each begins a generation, and the jobs of all but the newest stop.
 */
@Internal
public final class TransferJobs {

    /** Finds a scheduler by the name that a submission was recorded with. */
    @FunctionalInterface
    public interface Schedulers {
        /** Returns the scheduler with this name. */
        Scheduler named(String name) throws SchedulerException;
    }

    /**
     * The jobs to submit.
     *
     * @param workers the number of workers, their limits and options; its phase, generation and ids are ignored
     * @param finishing the options and the time limit of the finishing job; without options it gets those of the
     *        workers that suit one job, without a limit that of the queue
     * @param launch the programs and commands that the jobs start
     * @param planInJob whether a job also makes the plan, before the workers
     * @param trustsMounts whether the mounts are known to be right, though inode numbers may have changed
     */
    public record Order(JobRequest workers, Limits finishing, Launch launch, boolean planInJob, boolean trustsMounts) {

        /** Makes an order for jobs that check the inode numbers of their mounts. */
        public Order(JobRequest workers, Launch launch, boolean planInJob) {
            this(workers, new Limits(Optional.empty(), Optional.empty()), launch, planInJob, false);
        }

        /** Returns a copy whose finishing job has these options and this time limit. */
        public Order finishing(Optional<List<String>> options, Optional<Duration> walltime) {
            return new Order(workers, new Limits(options, walltime), launch, planInJob, trustsMounts);
        }

        /** Returns a copy whose jobs trust the mounts. */
        public Order trustingMounts() {
            return new Order(workers, finishing, launch, planInJob, true);
        }
    }

    /**
     * The options and the time limit of a job.
     *
     * @param options lines for the scheduler; empty if the user gave none, which differs from an empty list
     * @param walltime its time limit
     */
    public record Limits(Optional<List<String>> options, Optional<Duration> walltime) {}

    private final TransferDirectory transfer;
    private final Schedulers schedulers;

    private TransferJobs(TransferDirectory transfer, Schedulers schedulers) {
        this.transfer = transfer;
        this.schedulers = schedulers;
    }

    /** Returns the jobs of a transfer. */
    public static TransferJobs of(TransferDirectory transfer, Schedulers schedulers) {
        return new TransferJobs(transfer, schedulers);
    }

    /**
     * Begins the first generation and submits its workers, and the job that finishes the transfer when they have ended.
     *
     * @return the number of the generation
     * @throws SchedulerException if the scheduler refuses; the jobs of this generation that it accepted are cancelled,
     *         and the plan and all copied data stay
     * @throws OvertakenException if there is a generation already; nothing is submitted
     */
    public int start(Scheduler scheduler, Order order) throws IOException, SchedulerException {
        return submit(scheduler, order, Generations.Reason.START, 0, Set.of());
    }

    /**
     * Does the same as {@link #start} for a transfer that continues; only after {@link #stop}.
     *
     * @param seen the newest generation before the caller determined what is missing, 0 for none
     * @param done the batches that are done: a host that has only such data gets no job, because it may be down
     * @throws OvertakenException if another process has begun a generation since; nothing is submitted
     */
    public int resume(Scheduler scheduler, Order order, int seen, Set<Integer> done)
            throws IOException, SchedulerException {
        return submit(scheduler, order, Generations.Reason.RESUME, seen, done);
    }

    /**
     * Checks the jobs that {@link #start} would submit, as far as the scheduler can without submitting them; see
     * {@link Scheduler#check}. Submits and writes nothing.
     *
     * @throws SchedulerException if the scheduler would refuse one of the jobs
     */
    public void check(Scheduler scheduler, Order order) throws SchedulerException {
        if (order.planInJob()) {
            scheduler.check(request(order, 1, JobPhase.PLAN));
        }
        scheduler.check(workers(order, 1));
        scheduler.check(finishing(scheduler, order, 1));
    }

    private int submit(Scheduler scheduler, Order order, Generations.Reason reason, int seen, Set<Integer> done)
            throws IOException, SchedulerException {
        int generation = transfer.generations().raiseAfter(seen, reason, order.trustsMounts());
        // Only now: of two commands at once, the one that comes too late must not replace the files that the jobs of the
        // other one read.
        order.launch().write(transfer.path());
        List<String> submitted = new ArrayList<>();
        try {
            List<String> before = List.of();
            if (order.planInJob()) {
                before = submit(scheduler, request(order, generation, JobPhase.PLAN), submitted);
            }
            before = submitWorkers(scheduler, workers(order, generation).after(before), done, submitted);
            submit(scheduler, finishing(scheduler, order, generation).after(before), submitted);
            return generation;
        } catch (SchedulerException e) {
            submitted.addAll(e.submitted());
            cancelQuietly(scheduler, submitted, e);
            if (e.isRefusal()) {
                record(scheduler, generation, e);
            }
            throw e;
        } catch (IOException e) {
            // Without the record no later command would find these jobs.
            cancelQuietly(scheduler, submitted, e);
            throw e;
        }
    }

    private void record(Scheduler scheduler, int generation, SchedulerException refusal) {
        try {
            Refusal.record(transfer, generation, scheduler.name(), String.valueOf(refusal.getMessage()));
        } catch (IOException e) {
            refusal.addSuppressed(e);
        }
    }

    // A remaining job does less harm than a hidden refusal: the user must see the refusal.
    private static void cancelQuietly(Scheduler scheduler, List<String> ids, Exception refusal) {
        if (!ids.isEmpty()) {
            try {
                scheduler.cancel(ids);
            } catch (SchedulerException e) {
                refusal.addSuppressed(e);
            }
        }
    }

    private JobRequest finishing(Scheduler scheduler, Order order, int generation) {
        Limits limits = order.finishing();
        JobRequest request = JobRequest.of(transfer.id().text(), generation, JobPhase.FINISH, transfer.path())
                .options(limits.options().orElseGet(() -> scheduler.optionsOfOneJob(order.workers().options())))
                .requeue(order.workers().requeue());
        return limits.walltime().map(request::walltime).orElse(request);
    }

    private JobRequest workers(Order order, int generation) {
        return request(order, generation, JobPhase.WORKER).jobs(order.workers().jobs())
                .maxRunning(order.workers().maxRunning())
                .ranks(order.workers().distribution());
    }

    // One worker for each host that has data, if workers must be there.
    private List<String> submitWorkers(Scheduler scheduler, JobRequest request, Set<Integer> done,
            List<String> submitted) throws IOException, SchedulerException {
        if (!transfer.operation().isAtData()) {
            return submit(scheduler, request, submitted);
        }
        if (!scheduler.placesJobs()) {
            throw new SchedulerException("jobs of " + scheduler.name()
                    + " cannot be bound to the hosts that have the data: use local, slurm or pbs");
        }
        Set<String> hosts = new LinkedHashSet<>();
        Plan plan = Plan.open(transfer.plan());
        for (int batch = 0; batch < plan.batchCount(); batch++) {
            if (!done.contains(batch)) {
                hosts.addAll(plan.servers(batch));
            }
        }
        List<String> ids = new ArrayList<>();
        int index = 0;
        for (String host : hosts) {
            ids.addAll(submit(scheduler, request.jobs(1).maxRunning(0).firstIndex(index++).at(host), submitted));
        }
        return ids;
    }

    private JobRequest request(Order order, int generation, JobPhase phase) {
        JobRequest wanted = order.workers();
        JobRequest request = JobRequest.of(transfer.id().text(), generation, phase, transfer.path())
                .options(wanted.options())
                .requeue(wanted.requeue() && phase == JobPhase.WORKER);
        return wanted.walltime().map(request::walltime).orElse(request);
    }

    private List<String> submit(Scheduler scheduler, JobRequest request, List<String> submitted)
            throws IOException, SchedulerException {
        Submission submission = scheduler.submit(request);
        submitted.addAll(submission.ids());
        transfer.record(new SubmittedJobs(request.generation(), submission.scheduler(), submission.ids(),
                request.phase().word(), submission.jobs()));
        return submission.ids();
    }

    /** Returns whether jobs were ever launched, or are about to be; if not, the user started all workers by hand. */
    public boolean areLaunched() throws IOException {
        return Launch.jar(transfer.path()).isPresent();
    }

    /**
     * Returns the recorded jobs that may still run, by the scheduler's ids.
     *
     * @throws SchedulerException if a scheduler does not answer; nothing is known then
     */
    public Map<String, JobState> live() throws IOException, SchedulerException {
        return live(ask(jobs -> true));
    }

    /**
     * Returns the same as {@link #live()} for the jobs of one generation: a caller that waits for it neither knows nor
     * queries earlier ones.
     */
    public Map<String, JobState> live(int generation) throws IOException, SchedulerException {
        return live(ask(jobs -> jobs.generation() == generation));
    }

    private static Map<String, JobState> live(Map<String, JobState> states) {
        states.values().removeIf(state -> !state.mayRun());
        return states;
    }

    /**
     * Returns why jobs of a generation wait, in the words of their schedulers; nothing for schedulers that do not
     * answer.
     */
    public List<String> reasons(int generation) throws IOException {
        List<String> reasons = new ArrayList<>();
        for (SubmittedJobs jobs : transfer.submittedJobs()) {
            if (jobs.generation() == generation) {
                try {
                    reasons.addAll(schedulers.named(jobs.scheduler()).reasons(jobs.ids()));
                } catch (SchedulerException unanswered) {
                    // Another message already reports that the scheduler does not answer.
                }
            }
        }
        return reasons.stream().distinct().toList();
    }

    /** Returns the state of each recorded job that its scheduler still reports. */
    public Map<String, JobState> states() throws IOException, SchedulerException {
        return ask(jobs -> true);
    }

    /**
     * Returns the jobs of a generation that left no output in the transfer's directory, by the scheduler's ids: they
     * ended before they began, or the directory is not visible or not writable where they ran. Omits the jobs of a
     * scheduler whose logs have other names ({@link Scheduler#namesLogsById}).
     */
    public List<String> withoutOutput(int generation) throws IOException {
        return JobFiles.withoutOutput(transfer.path(), withLogs(generation));
    }

    /**
     * Returns a job of a generation whose commands before the work ({@code --pre}) failed, if the output of one shows
     * that. Omits the same jobs as {@link #withoutOutput}.
     */
    public Optional<JobFiles.FailedPre> failedPre(int generation) throws IOException {
        return JobFiles.failedPre(transfer.path(), withLogs(generation));
    }

    private List<String> withLogs(int generation) throws IOException {
        List<String> ids = new ArrayList<>();
        for (SubmittedJobs jobs : transfer.submittedJobs()) {
            if (jobs.generation() == generation && namesLogsById(jobs.scheduler())) {
                ids.addAll(jobs.ids());
            }
        }
        return ids;
    }

    private boolean namesLogsById(String scheduler) {
        try {
            return schedulers.named(scheduler).namesLogsById();
        } catch (SchedulerException missing) {
            return false;
        }
    }

    // Queries each scheduler once.
    private Map<String, JobState> ask(Predicate<SubmittedJobs> isMeant) throws IOException, SchedulerException {
        Map<String, List<String>> ids = new LinkedHashMap<>();
        for (SubmittedJobs jobs : transfer.submittedJobs()) {
            if (isMeant.test(jobs)) {
                ids.computeIfAbsent(jobs.scheduler(), name -> new ArrayList<>()).addAll(jobs.ids());
            }
        }
        Map<String, JobState> states = new LinkedHashMap<>();
        for (var asked : ids.entrySet()) {
            states.putAll(schedulers.named(asked.getKey()).states(asked.getValue()));
        }
        return states;
    }

    /**
     * Cancels the waiting jobs of a generation once its transfer is finished: they would find nothing to do. Leaves the
     * job that runs the user's command on completion. If a scheduler does not answer, as on a node without its
     * programs, or does not cancel them, they end when they begin.
     */
    public void endWaiting(int generation) {
        try {
            boolean hasCommand = Launch.hasOnComplete(transfer.path());
            for (SubmittedJobs jobs : transfer.submittedJobs().reversed()) {
                boolean isFinish = jobs.phase().equals(JobPhase.FINISH.word());
                if (jobs.generation() == generation && !(isFinish && hasCommand)) {
                    Scheduler scheduler = schedulers.named(jobs.scheduler());
                    Map<String, JobState> states = scheduler.states(jobs.ids());
                    states.values().removeIf(state -> state != JobState.WAITING);
                    if (!states.isEmpty()) {
                        scheduler.cancel(states.keySet());
                    }
                }
            }
        } catch (SchedulerException | IOException e) {
            // A job that waits for nothing does not harm the copy.
        }
    }

    /**
     * Cancels all jobs of the transfer and returns when none can run any more. Call {@link Generations#raise} first, so
     * that a job which the scheduler cannot reach ends by itself.
     *
     * @throws SchedulerException if a scheduler does not answer or jobs may still run
     */
    public void stop() throws IOException, SchedulerException {
        // Finishing comes first, because it would begin when the workers end.
        for (SubmittedJobs jobs : transfer.submittedJobs().reversed()) {
            Scheduler scheduler = schedulers.named(jobs.scheduler());
            if (mayRun(scheduler, jobs.ids())) {
                scheduler.cancel(jobs.ids());
            }
        }
    }

    private static boolean mayRun(Scheduler scheduler, List<String> ids) {
        try {
            return scheduler.states(ids).values().stream().anyMatch(JobState::mayRun);
        } catch (SchedulerException unanswered) {
            // Cancelling asks again.
            return true;
        }
    }
}
