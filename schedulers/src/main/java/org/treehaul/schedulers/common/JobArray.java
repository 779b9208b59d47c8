// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common;

import java.util.ArrayList;
import java.util.List;

import org.treehaul.schedulers.JobRequest;

/**
 * A part of a request that is submitted as one job or one job array.
 *
 * @param firstIndex the number of its first worker
 * @param jobs the number of jobs; 1 is submitted as a plain job
 * @param maxRunning the number of jobs that may run at once, 0 for no limit
 */
public record JobArray(int firstIndex, int jobs, int maxRunning) {

    /** Returns whether this is submitted as an array. */
    public boolean isArray() {
        return jobs > 1;
    }

    /** Returns its range of indexes in the syntax of Slurm and PBS. */
    public String range() {
        return "0-" + (jobs - 1) + (maxRunning > 0 ? "%" + maxRunning : "");
    }

    /**
     * Splits a request into arrays that the site allows. Ranks are one job of many nodes.
     *
     * @param limit the largest number of jobs in an array; below 2 there are no arrays
     */
    public static List<JobArray> cut(JobRequest request, int limit) {
        if (request.isRanks()) {
            return List.of(new JobArray(0, 1, 0));
        }
        int largest = Math.max(1, limit);
        int max = request.maxRunning() < request.jobs() ? request.maxRunning() : 0;
        List<JobArray> arrays = new ArrayList<>();
        for (int done = 0; done < request.jobs(); done += largest) {
            int jobs = Math.min(largest, request.jobs() - done);
            arrays.add(new JobArray(request.firstIndex() + done, jobs, max < jobs ? max : 0));
        }
        return arrays;
    }

    /**
     * Returns whether the arrays of a request must run one after the other: a scheduler limits the running jobs of each
     * array separately. Later arrays find work only if earlier ones left some.
     */
    public static boolean oneByOne(JobRequest request) {
        return request.maxRunning() > 0 && request.maxRunning() < request.jobs();
    }
}
