// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.slurm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.spool.ScratchDirectory;
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
 * Runs jobs in Slurm through its programs. An id is that of a job or an array; with several clusters
 * {@code id;cluster}, as {@code sbatch --parsable} prints it.
 */
final class SlurmScheduler implements Scheduler {

    private static final Pattern SUBMITTED = Pattern.compile("(?m)^([0-9]+)(;[A-Za-z0-9_.-]+)?\\s*$");
    private static final Pattern MAX_ARRAY_SIZE = Pattern.compile("(?mi)^MaxArraySize\\s*=\\s*([0-9]+)");
    private static final Pattern MAX_ARRAY_TASKS = Pattern.compile("(?i)\\bmax_array_tasks=([0-9]+)");
    // The default of MaxArraySize in slurm.conf(5): the largest index is one less.
    private static final int DEFAULT_MAX_ARRAY_SIZE = 1001;

    // sbatch --test-only of Slurm 22.05 also fails where nodes are drained or the partition is down now, with the same
    // message as for a size that the cluster never has; a submission waits then. These words appear only in refusals.
    private static final Pattern REFUSED = Pattern
            .compile("(?i)\\b(invalid|unrecognized|ambiguous|requires an argument|not permitted|permission denied)\\b");

    // Finishing always waits for the workers, and a job that was submitted just now has no reason yet.
    private static final Predicate<String> OWN_REASONS = Set.of("", "None", "Dependency")::contains;

    private final Programs programs;

    SlurmScheduler(Programs programs) {
        this.programs = programs;
    }

    @Override
    public String name() {
        return "slurm";
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
        List<JobArray> arrays = arrays(request);
        List<Script> scripts = new ArrayList<>();
        for (JobArray array : arrays) {
            scripts.add(SlurmScripts.render(request, array, numbers(request.after()),
                    JobFiles.name(request, scripts.size() + 1)));
        }
        return scripts;
    }

    @Override
    public Submission submit(JobRequest request) throws SchedulerException {
        JobFiles.check(request);
        List<String> ids = new ArrayList<>();
        try {
            for (JobArray array : arrays(request)) {
                List<String> after = new ArrayList<>(numbers(request.after()));
                if (JobArray.oneByOne(request) && !ids.isEmpty()) {
                    after.add(number(ids.getLast()));
                }
                ids.add(submit(request,
                        JobFiles.write(request, name -> SlurmScripts.render(request, array, after, name))));
            }
        } catch (SchedulerException failure) {
            throw failure.withSubmitted(ids);
        }
        return new Submission(name(), ids, request.jobs());
    }

    private static List<String> sbatch(JobRequest request) {
        // A --chdir among the user's options would redirect the logs; the one on the command line overrides it.
        return List.of("sbatch", "--parsable", "--ignore-pbs", "--chdir=" + request.directory());
    }

    private String submit(JobRequest request, Script script) throws SchedulerException {
        List<String> command = new ArrayList<>(sbatch(request));
        command.add(JobFiles.relative(script));
        Programs.Ran ran = programs.run(Programs.SUBMIT, request.directory(), command);
        Matcher matcher = SUBMITTED.matcher(ran.out());
        String id = "";
        while (matcher.find()) {
            id = matcher.group().strip();
        }
        if (ran.code() != 0 || id.isEmpty()) {
            throw SlurmProvider.failure(ran, "Slurm refused the job");
        }
        return id;
    }

    @Override
    public void check(JobRequest request) throws SchedulerException {
        Script script = SlurmScripts.render(request, new JobArray(0, 1, 0), List.of(), JobFiles.name(request, 1));
        try (ScratchDirectory scratch = ScratchDirectory.open("treehaul-job-")) {
            Path file = scratch.path().resolve("test.sh");
            PrivateFiles.write(file, script.text().getBytes(StandardCharsets.UTF_8));
            test(request, file);
        } catch (IOException failure) {
            throw new SchedulerException("cannot write the job script: " + PrivateFiles.describe(failure));
        }
    }

    private void test(JobRequest request, Path script) throws SchedulerException {
        List<String> command = new ArrayList<>(sbatch(request));
        command.addAll(List.of("--test-only", script.toString()));
        Programs.Ran ran;
        try {
            ran = programs.run(Programs.SUBMIT, request.directory(), command);
        } catch (SchedulerException unanswered) {
            // A missing or hanging sbatch proves nothing about the options; the plan can be submitted elsewhere.
            return;
        }
        if (ran.code() != 0 && (REFUSED.matcher(ran.err()).find() || SlurmProvider.isUnconfigured(ran))) {
            throw SlurmProvider.failure(ran, "Slurm would refuse the jobs");
        }
    }

    private List<JobArray> arrays(JobRequest request) throws SchedulerException {
        return JobArray.cut(request, request.jobs() == 1 || request.isRanks() ? 1 : arrayLimit());
    }

    private int arrayLimit() throws SchedulerException {
        Programs.Ran ran = programs.run(Programs.ASK, "scontrol", "show", "config");
        if (ran.code() != 0) {
            throw SlurmProvider.failure(ran, "Slurm does not report its limits");
        }
        return Math.min(number(MAX_ARRAY_SIZE, ran.out(), DEFAULT_MAX_ARRAY_SIZE),
                number(MAX_ARRAY_TASKS, ran.out(), Integer.MAX_VALUE));
    }

    private static int number(Pattern pattern, String text, int otherwise) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? (int) Math.min(Integer.MAX_VALUE, Long.parseLong(matcher.group(1))) : otherwise;
    }

    @Override
    public Map<String, JobState> states(Collection<String> ids) throws SchedulerException {
        Map<String, JobState> states = new LinkedHashMap<>();
        for (var cluster : byCluster(ids).entrySet()) {
            Map<String, Map<String, JobState>> found = ask(cluster.getKey(), cluster.getValue());
            List<String> forgotten = cluster.getValue()
                    .stream()
                    .filter(number -> ofJob(number, found).isEmpty())
                    .toList();
            Map<String, JobState> accounted = account(cluster.getKey(), forgotten);
            String suffix = cluster.getKey().isEmpty() ? "" : ";" + cluster.getKey();
            for (String number : cluster.getValue()) {
                Map<String, JobState> jobs = ofJob(number, found);
                if (jobs.isEmpty()) {
                    jobs.put(number, accounted.getOrDefault(number, JobState.GONE));
                }
                jobs.forEach((id, state) -> states.put(id + suffix, state));
            }
        }
        return states;
    }

    private static Map<String, JobState> ofJob(String number, Map<String, Map<String, JobState>> found) {
        Map<String, JobState> jobs = new LinkedHashMap<>(found.getOrDefault(number.split("_", 2)[0], Map.of()));
        jobs.keySet().removeIf(id -> number.contains("_") && !number.equals(id));
        return jobs;
    }

    private Map<String, Map<String, JobState>> ask(String cluster, List<String> numbers) throws SchedulerException {
        List<String> command = new ArrayList<>(List.of("squeue", "--noheader", "--all", "--array", "--states=all",
                "--format=%i|%T", "--jobs=" + String.join(",", numbers)));
        if (!cluster.isEmpty()) {
            command.add("--clusters=" + cluster);
        }
        Programs.Ran ran = programs.run(Programs.ASK, Programs.ROOT, command);
        // squeue prints this if its only id is unknown; it does not report several unknown ids as an error.
        if (ran.code() != 0 && !ran.err().contains("Invalid job id")) {
            throw SlurmProvider.failure(ran, "Slurm does not report the state of jobs");
        }
        Map<String, Map<String, JobState>> found = new TreeMap<>();
        ran.out().lines().map(line -> line.strip().split("\\|", -1)).filter(part -> part.length == 2).forEach(part -> {
            String number = part[0].split("_", 2)[0];
            found.computeIfAbsent(number, any -> new LinkedHashMap<>()).put(part[0], state(part[1]));
        });
        return found;
    }

    @Override
    public List<String> reasons(Collection<String> ids) throws SchedulerException {
        Set<String> reasons = new TreeSet<>();
        for (var cluster : byCluster(ids).entrySet()) {
            List<String> command = new ArrayList<>(List.of("squeue", "--noheader", "--all", "--states=PENDING",
                    "--format=%r", "--jobs=" + String.join(",", cluster.getValue())));
            if (!cluster.getKey().isEmpty()) {
                command.add("--clusters=" + cluster.getKey());
            }
            Programs.Ran ran = programs.run(Programs.ASK, Programs.ROOT, command);
            if (ran.code() == 0) {
                ran.out().lines().map(String::strip).filter(OWN_REASONS.negate()).forEach(reasons::add);
            }
        }
        return List.copyOf(reasons);
    }

    // The controller forgets a job some minutes after its end; the accounting, if a site has one, does not.
    private Map<String, JobState> account(String cluster, List<String> numbers) throws SchedulerException {
        if (numbers.isEmpty() || programs.find("sacct").isEmpty()) {
            return Map.of();
        }
        List<String> words = new ArrayList<>(List.of("sacct", "--noheader", "--parsable2", "--allocations",
                "--format=JobID,State", "--jobs=" + String.join(",", numbers)));
        if (!cluster.isEmpty()) {
            words.add("--clusters=" + cluster);
        }
        Programs.Ran ran = programs.run(Programs.ASK, Programs.ROOT, words);
        if (ran.code() != 0 && cluster.isEmpty()) {
            words.add("--completion");
            ran = programs.run(Programs.ASK, Programs.ROOT, words);
        }
        if (ran.code() != 0) {
            return Map.of();
        }
        Map<String, JobState> states = new TreeMap<>();
        for (String number : numbers) {
            states.put(number, worst(number, ran.out()));
        }
        return states;
    }

    private static JobState worst(String number, String states) {
        JobState worst = JobState.GONE;
        for (String line : states.lines().toList()) {
            String[] part = line.strip().split("\\|", -1);
            // The controller does not know the job, so if the accounting shows it as running, it missed the job's end.
            if (part.length == 2 && (part[0] + "_").startsWith(number + "_") && !state(part[1]).mayRun()
                    && (worst == JobState.GONE || worst == JobState.SUCCEEDED)) {
                worst = state(part[1]);
            }
        }
        return worst;
    }

    /** Converts a state that squeue or sacct prints. */
    static JobState state(String word) {
        // sacct: CANCELLED by 1000
        return switch (word.split(" ", 2)[0]) {
            case "PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT", "RESV_DEL_HOLD" ->
                JobState.WAITING;
            case "COMPLETED" -> JobState.SUCCEEDED;
            case "FAILED", "OUT_OF_MEMORY", "LAUNCH_FAILED" -> JobState.FAILED;
            case "CANCELLED", "REVOKED" -> JobState.CANCELLED;
            case "TIMEOUT", "DEADLINE" -> JobState.TIMED_OUT;
            case "NODE_FAIL", "BOOT_FAIL", "PREEMPTED" -> JobState.LOST;
            // RUNNING, COMPLETING, SUSPENDED, STOPPED, CONFIGURING, and any state that a newer Slurm adds.
            default -> JobState.RUNNING;
        };
    }

    @Override
    public void cancel(Collection<String> ids) throws SchedulerException {
        for (var cluster : byCluster(ids).entrySet()) {
            List<String> command = new ArrayList<>(List.of("scancel"));
            if (!cluster.getKey().isEmpty()) {
                command.add("--clusters=" + cluster.getKey());
            }
            command.addAll(cluster.getValue());
            Programs.Ran ran = programs.run(Programs.ASK, Programs.ROOT, command);
            // The states of the jobs show whether it worked; the refusal is shown if it did not.
            Cancelling.untilGone(this::states, ids, ran.code() == 0 ? "" : ran.output());
        }
    }

    private static Map<String, List<String>> byCluster(Collection<String> ids) {
        Map<String, List<String>> clusters = new TreeMap<>();
        for (String id : ids) {
            String[] part = id.split(";", 2);
            if (!part[0].matches("[0-9]+(_[0-9]+)?")) {
                throw new IllegalArgumentException("not the id of a job of Slurm: " + id);
            }
            clusters.computeIfAbsent(part.length == 2 ? part[1] : "", any -> new ArrayList<>()).add(part[0]);
        }
        return clusters;
    }

    private static List<String> numbers(List<String> ids) {
        return ids.stream().map(SlurmScheduler::number).toList();
    }

    private static String number(String id) {
        return id.split(";", 2)[0];
    }
}
