// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A scheduler that starts nothing: a test does the work of the jobs, and chooses their states and refusals. */
public final class StandInScheduler implements Scheduler {

    /** An action of a test when a job is submitted. */
    @FunctionalInterface
    public interface OnSubmit {
        void submitted(JobRequest request) throws SchedulerException;
    }

    /** An action of a test before jobs are cancelled. */
    @FunctionalInterface
    public interface OnCancel {
        void cancelled(Collection<String> ids) throws SchedulerException;
    }

    public final Map<String, JobState> jobs = new TreeMap<>();
    public final List<JobRequest> submitted = new ArrayList<>();
    public OnSubmit onSubmit = request -> {};
    public OnCancel onCancel = ids -> {};
    public String refusesToCheck = "";
    public String silence = "";
    public int lostAnswers;
    public boolean namesLogsById;
    private final String name;

    /** Makes a scheduler of the usual name. */
    public StandInScheduler() {
        this("stand-in");
    }

    /** Makes a scheduler of another name. */
    public StandInScheduler(String name) {
        this.name = name;
    }

    /** Returns the exception of a scheduler whose program refuses a request. */
    public static SchedulerException refusal(String message) {
        return SchedulerException.refused(message, List.of("submit"), 1);
    }

    /** Returns itself by its name, and no other scheduler. */
    public Scheduler named(String name) throws SchedulerException {
        if (!name.equals(name())) {
            throw new SchedulerException("there is no scheduler " + name);
        }
        return this;
    }

    /** Sets the state of all jobs. */
    public void setAll(JobState state) {
        jobs.replaceAll((id, old) -> state);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean namesLogsById() {
        return namesLogsById;
    }

    @Override
    public List<Script> render(JobRequest request) {
        return List.of();
    }

    @Override
    public void check(JobRequest request) throws SchedulerException {
        if (!refusesToCheck.isEmpty()) {
            throw new SchedulerException(refusesToCheck);
        }
    }

    @Override
    public Submission submit(JobRequest request) throws SchedulerException {
        onSubmit.submitted(request);
        submitted.add(request);
        String id = String.valueOf(submitted.size());
        jobs.put(id, JobState.WAITING);
        return new Submission(name(), List.of(id), request.jobs());
    }

    @Override
    public Map<String, JobState> states(Collection<String> ids) throws SchedulerException {
        if (!silence.isEmpty()) {
            throw new SchedulerException(silence);
        }
        if (lostAnswers > 0) {
            lostAnswers--;
            throw refusal("Socket timed out");
        }
        Map<String, JobState> states = new TreeMap<>();
        ids.forEach(id -> states.put(id, jobs.getOrDefault(id, JobState.GONE)));
        return states;
    }

    @Override
    public List<String> reasons(Collection<String> ids) {
        return List.of("Priority");
    }

    @Override
    public void cancel(Collection<String> ids) throws SchedulerException {
        onCancel.cancelled(ids);
        ids.forEach(id -> jobs.put(id, JobState.GONE));
    }
}
