// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pbs;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.treehaul.schedulers.JobState;

/**
 * A job as {@code qstat -f} prints it.
 *
 * @param id the id as the server prints it
 * @param attributes its attributes by name
 */
record PbsJob(String id, Map<String, String> attributes) {

    private static final Pattern HEAD = Pattern.compile("Job Id:\\s*(\\S+)\\s*");
    private static final Pattern ATTRIBUTE = Pattern.compile("    ([A-Za-z_.]+) = (.*)");
    private static final Pattern NUMBER = Pattern.compile("([0-9]+)(\\[([0-9]*)\\])?.*");

    // PBS reports exit code -29 for the time limit (JOB_EXEC_KILL_WALLTIME), and 256 plus the number of a signal.
    private static final int WALLTIME = -29;
    private static final int SIGNAL = 256;
    private static final int SIGTERM = 15;

    PbsJob {
        attributes = Map.copyOf(attributes);
    }

    /** Returns the jobs in an output of qstat, which continues a long line on the next one after a tab. */
    static List<PbsJob> parse(String output) {
        List<PbsJob> jobs = new ArrayList<>();
        String id = "";
        Map<String, String> attributes = new HashMap<>();
        for (String line : output.replace("\n\t", "").lines().toList()) {
            Matcher head = HEAD.matcher(line);
            Matcher attribute = ATTRIBUTE.matcher(line);
            if (head.matches()) {
                add(jobs, id, attributes);
                id = head.group(1);
                attributes.clear();
            } else if (attribute.matches()) {
                attributes.putIfAbsent(attribute.group(1), attribute.group(2).strip());
            }
        }
        add(jobs, id, attributes);
        return jobs;
    }

    private static void add(List<PbsJob> jobs, String id, Map<String, String> attributes) {
        if (!id.isEmpty()) {
            jobs.add(new PbsJob(id, attributes));
        }
    }

    /** Returns whether this is an array itself. */
    boolean isArray() {
        return id.contains("[]");
    }

    /**
     * Returns whether this is the job with this id or one of its array; the server may append its domain to the id.
     */
    boolean isPartOf(String other) {
        Matcher mine = NUMBER.matcher(id);
        Matcher asked = NUMBER.matcher(other);
        if (!mine.matches() || !asked.matches() || !mine.group(1).equals(asked.group(1))) {
            return false;
        }
        String index = asked.group(3);
        return index == null || index.isEmpty() || Objects.equals(index, mine.group(3));
    }

    /** Returns the state that the attributes show. */
    JobState state() {
        String exit = attributes.getOrDefault("Exit_status", attributes.getOrDefault("exit_status", ""));
        return switch (attributes.getOrDefault("job_state", "")) {
            case "Q", "H", "W", "T", "M" -> JobState.WAITING;
            // F: finished; X: finished as a part of an array; C: completed in Torque.
            case "F", "X", "C" -> exit.matches("-?[0-9]{1,9}") ? ended(Integer.parseInt(exit)) : JobState.GONE;
            // R, E (exiting), B (an array that has begun), S, U (suspended).
            default -> JobState.RUNNING;
        };
    }

    /** Returns why the job waits, if PBS gives a reason or the user holds it. */
    String reason() {
        String comment = attributes.getOrDefault("comment", "");
        boolean isHeld = attributes.getOrDefault("Hold_Types", "").contains("u");
        // PBS gives "Job Array Began" as the comment of array jobs that wait their turn; that is not a reason.
        return isHeld ? "held by the user" : comment.startsWith("Job Array Began") ? "" : comment;
    }

    private static JobState ended(int exit) {
        if (exit == SIGNAL + SIGTERM) {
            return JobState.CANCELLED;
        }
        return exit == 0 ? JobState.SUCCEEDED : exit == WALLTIME ? JobState.TIMED_OUT : JobState.FAILED;
    }
}
