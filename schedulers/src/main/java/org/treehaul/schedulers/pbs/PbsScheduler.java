// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pbs;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.schedulers.JobFiles;
import org.treehaul.schedulers.JobRequest;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.Script;
import org.treehaul.schedulers.Submission;
import org.treehaul.schedulers.common.Cancelling;
import org.treehaul.schedulers.common.JobArray;
import org.treehaul.schedulers.common.OneJobOptions;
import org.treehaul.schedulers.common.Programs;

/**
 * Runs jobs in PBS through its programs, in both dialects. An id is as qsub prints it, {@code 1.host} or
 * {@code 2[].host}.
 */
final class PbsScheduler implements Scheduler {

    private static final Pattern SUBMITTED = Pattern.compile("(?m)^([0-9]+(?:\\[\\])?(?:\\.[A-Za-z0-9_.:-]+)?)\\s*$");
    private static final Pattern ID = Pattern.compile("[0-9]+(\\[[0-9]*\\])?(\\.[A-Za-z0-9_.:-]+)?");
    private static final Pattern ARRAY_LIMIT = Pattern
            .compile("(?m)^\\s*set server max_(?:job_)?array_size\\s*=\\s*([0-9]+)");
    // The default of OpenPBS; Torque has no limit of its own.
    private static final int DEFAULT_ARRAY_LIMIT = 10_000;
    // The errors of both dialects for jobs that have ended, are just ending or never existed.
    private static final Pattern NO_JOB = Pattern.compile(
            "(?i)unknown job|job has finished|already finished|invalid state|invalid for (?:state of job|finished)"
                    + "|delete already in progress|no such job");

    // OpenPBS prints this for each job that -x asks for, answers nothing else, and returns 0.
    private static final Pattern NO_HISTORY = Pattern.compile("(?i)not configured to maintain job history");
    private static final Pattern WORD = Pattern.compile("(?<![A-Za-z0-9_.:-])" + ID.pattern());

    private final Programs programs;
    private final PbsDialect dialect;
    // OpenPBS keeps no job history by default, and then refuses queries for it.
    private volatile boolean keepsHistory;

    PbsScheduler(Programs programs, PbsDialect dialect) {
        this.programs = programs;
        this.dialect = dialect;
        // In Torque -x means XML, and qstat always shows jobs that have ended.
        this.keepsHistory = dialect == PbsDialect.OPENPBS;
    }

    @Override
    public String name() {
        return dialect == PbsDialect.OPENPBS ? "openpbs" : "torque";
    }

    @Override
    public List<String> optionsOfOneJob(List<String> options) {
        return OneJobOptions.of(name(), options);
    }

    @Override
    public boolean namesLogsById() {
        return true;
    }

    @Override
    public boolean placesJobs() {
        return true;
    }

    @Override
    public List<Script> render(JobRequest request) throws SchedulerException {
        refuseWhatPbsLacks(request);
        List<Script> scripts = new ArrayList<>();
        for (JobArray array : arrays(request)) {
            scripts.add(PbsScripts.render(dialect, request, array, request.after(),
                    JobFiles.name(request, scripts.size() + 1)));
        }
        return scripts;
    }

    @Override
    public void check(JobRequest request) throws SchedulerException {
        refuseWhatPbsLacks(request);
    }

    @Override
    public Submission submit(JobRequest request) throws SchedulerException {
        refuseWhatPbsLacks(request);
        JobFiles.check(request);
        List<String> ids = new ArrayList<>();
        try {
            for (JobArray array : arrays(request)) {
                List<String> after = new ArrayList<>(request.after());
                if (JobArray.oneByOne(request) && !ids.isEmpty()) {
                    after.add(ids.getLast());
                }
                ids.add(submit(request, array, after));
            }
        } catch (SchedulerException failure) {
            throw failure.withSubmitted(ids);
        }
        return new Submission(name(), ids, request.jobs());
    }

    private static void refuseWhatPbsLacks(JobRequest request) throws SchedulerException {
        if (request.requeue()) {
            throw new SchedulerException("PBS lets only its operators requeue a running job:"
                    + " leave out --requeue or use --no-requeue, and resume the transfer if the time limit was too short");
        }
        if (!request.host().isEmpty() && PbsScripts.requestsNodes(request)) {
            throw new SchedulerException("the jobs are for the nodes that have the data, such as " + request.host()
                    + ": leave select, nodes, procs and size out of --queue");
        }
    }

    private String submit(JobRequest request, JobArray array, List<String> after) throws SchedulerException {
        List<String> left = withoutEnded(after);
        while (true) {
            Programs.Ran ran = qsub(request, array, left);
            // The new job must not wait for a job that ended just now: Torque refuses it, OpenPBS accepts it and
            // deletes it.
            List<String> still = withoutEnded(left);
            if (still.size() == left.size() || ran.code() == 0 && !areAll(id(ran), JobState.GONE::equals)) {
                return id(ran);
            }
            left = still;
        }
    }

    private static String id(Programs.Ran ran) throws SchedulerException {
        Matcher matcher = SUBMITTED.matcher(ran.out());
        String id = "";
        while (matcher.find()) {
            id = matcher.group(1);
        }
        if (ran.code() != 0 || id.isEmpty()) {
            throw ran.failure("PBS refused the job");
        }
        return id;
    }

    // No answer from PBS does not mean that a job has ended.
    private List<String> withoutEnded(List<String> ids) {
        return ids.stream().filter(id -> !areAll(id, state -> !state.mayRun())).toList();
    }

    /** Returns whether PBS answers and all jobs of an id satisfy the condition. */
    private boolean areAll(String id, Predicate<JobState> isSuch) {
        try {
            return states(List.of(id)).values().stream().allMatch(isSuch);
        } catch (SchedulerException unanswered) {
            return false;
        }
    }

    private Programs.Ran qsub(JobRequest request, JobArray array, List<String> after) throws SchedulerException {
        Script script = JobFiles.write(request, name -> PbsScripts.render(dialect, request, array, after, name));
        return programs.run(Programs.SUBMIT, request.directory(), List.of("qsub", JobFiles.relative(script)));
    }

    private List<JobArray> arrays(JobRequest request) throws SchedulerException {
        return JobArray.cut(request, request.jobs() == 1 || request.isRanks() ? 1 : arrayLimit());
    }

    // Any user may query the limit; if the site forbids it, or this host has no qmgr, the default is the best guess.
    private int arrayLimit() throws SchedulerException {
        if (programs.find("qmgr").isPresent()) {
            Programs.Ran ran = programs.run(Programs.ASK, "qmgr", "-c", "print server");
            Matcher matcher = ARRAY_LIMIT.matcher(ran.out());
            if (ran.code() == 0 && matcher.find()) {
                return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(matcher.group(1)));
            }
        }
        return DEFAULT_ARRAY_LIMIT;
    }

    @Override
    public Map<String, JobState> states(Collection<String> ids) throws SchedulerException {
        ids.forEach(PbsScheduler::check);
        if (ids.isEmpty()) {
            return Map.of();
        }
        Programs.Ran ran = qstat(ids, keepsHistory);
        if (keepsHistory && !isAnswer(ran)) {
            ran = qstat(ids, false);
            keepsHistory = !isAnswer(ran);
        }
        if (!isAnswer(ran)) {
            throw ran.failure("PBS does not report the state of jobs");
        }
        List<PbsJob> jobs = PbsJob.parse(ran.out());
        Map<String, JobState> states = new LinkedHashMap<>();
        for (String id : ids) {
            List<PbsJob> parts = jobs.stream().filter(job -> job.isPartOf(id)).toList();
            parts.stream().filter(job -> !job.isArray()).forEach(job -> states.put(job.id(), job.state()));
            // The output also lists the array itself beside its jobs, and alone for waiting jobs, which OpenPBS does
            // not list.
            boolean isListed = parts.stream().anyMatch(job -> !job.isArray() && job.state().mayRun());
            parts.stream()
                    .filter(job -> job.isArray() && (parts.size() == 1 || job.state().mayRun() && !isListed))
                    .forEach(job -> states.put(job.id(), parts.size() == 1 ? job.state() : JobState.WAITING));
            if (parts.isEmpty()) {
                states.put(id, isDenied(id, ran.err()) ? JobState.GONE : JobState.UNKNOWN);
            }
        }
        return states;
    }

    @Override
    public List<String> reasons(Collection<String> ids) throws SchedulerException {
        ids.forEach(PbsScheduler::check);
        return ids.isEmpty()
                ? List.of()
                : PbsJob.parse(qstat(ids, false).out())
                        .stream()
                        .filter(job -> job.state() == JobState.WAITING)
                        .map(PbsJob::reason)
                        .filter(reason -> !reason.isEmpty())
                        .distinct()
                        .sorted()
                        .toList();
    }

    private Programs.Ran qstat(Collection<String> ids, boolean history) throws SchedulerException {
        List<String> command = new ArrayList<>(
                history ? List.of("qstat", "-x", "-t", "-f") : List.of("qstat", "-t", "-f"));
        command.addAll(ids);
        return programs.run(Programs.ASK, Programs.ROOT, command);
    }

    private static boolean isAnswer(Programs.Ran ran) {
        return !NO_HISTORY.matcher(ran.err()).find() && (ran.code() == 0 || ran.err()
                .lines()
                .map(String::strip)
                .allMatch(line -> line.isEmpty() || NO_JOB.matcher(line).find()));
    }

    /** Returns whether PBS reports a job as unknown or finished. */
    private static boolean isDenied(String id, String output) {
        return output.lines()
                .filter(line -> NO_JOB.matcher(line).find())
                .flatMap(line -> WORD.matcher(line).results())
                .anyMatch(word -> new PbsJob(word.group(), Map.of()).isPartOf(id));
    }

    @Override
    public void cancel(Collection<String> ids) throws SchedulerException {
        ids.forEach(PbsScheduler::check);
        String refusal = "";
        // One id per call: a qdel that names an unknown job after an existing one ends the server of OpenPBS 23.06.06.
        for (String id : ids) {
            Programs.Ran ran = programs.run(Programs.ASK, "qdel", id);
            boolean agreed = ran.code() == 0 || ran.err().lines().allMatch(line -> NO_JOB.matcher(line).find());
            refusal = agreed ? refusal : ran.output();
        }
        Cancelling.untilGone(this::states, ids, refusal);
    }

    private static void check(String id) {
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("not the id of a job of PBS: " + id);
        }
    }
}
