// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;

/** Waits until cancelled jobs have ended. */
public final class Cancelling {

    // Cancelled jobs get TERM, and KILL some time later: 30 s in Slurm (KillWait), 10 s in PBS (kill_delay); a node may
    // be slow.
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private Cancelling() {}

    /** Queries the state of jobs, as {@link Scheduler#states} does. */
    @FunctionalInterface
    public interface Query {
        Map<String, JobState> states(Collection<String> ids) throws SchedulerException;
    }

    /**
     * Waits until none of the jobs can run any more, for at most two minutes, or five seconds after a refusal. A query
     * that fails is repeated in that time: a scheduler that ends many jobs may be too busy to answer.
     *
     * @param refusal the scheduler's answer if it refused to cancel them, empty if it agreed
     * @throws SchedulerException if some may still run; the message names the first ten and holds the refusal. Or if
     *         the last query failed
     */
    public static void untilGone(Query query, Collection<String> ids, String refusal) throws SchedulerException {
        long end = System.nanoTime() + (refusal.isEmpty() ? PATIENCE : Duration.ofSeconds(5)).toNanos();
        long pause = 100;
        while (true) {
            SchedulerException problem;
            try {
                List<String> left = left(query, ids);
                if (left.isEmpty()) {
                    return;
                }
                problem = new SchedulerException("jobs may still run after they were cancelled: " + shown(left)
                        + (refusal.isEmpty() ? "" : ": " + refusal));
            } catch (SchedulerException unanswered) {
                problem = unanswered;
            }
            if (System.nanoTime() - end > 0) {
                throw problem;
            }
            Programs.pause(Duration.ofMillis(pause));
            pause = Math.min(2000, pause * 2);
        }
    }

    private static List<String> left(Query query, Collection<String> ids) throws SchedulerException {
        return query.states(ids)
                .entrySet()
                .stream()
                .filter(job -> job.getValue().mayRun())
                .map(Map.Entry::getKey)
                .toList();
    }

    private static String shown(List<String> ids) {
        return String.join(" ", ids.subList(0, Math.min(10, ids.size())))
                + (ids.size() > 10 ? " and " + (ids.size() - 10) + " more" : "");
    }
}
