// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.ArrayList;
import java.util.List;

/**
 * A part of a request that is submitted as one.
 *
 * @param firstIndex the number of its first worker
 * @param jobs how many; 1 is submitted as no array
 * @param maxRunning how many at once, 0 for any number
 */
record JobArray(int firstIndex, int jobs, int maxRunning) {

    /** Returns whether it is one at all. */
    boolean isArray() {
        return jobs > 1;
    }

    /** Returns its indexes as Slurm and PBS write them. */
    String range() {
        return "0-" + (jobs - 1) + (maxRunning > 0 ? "%" + maxRunning : "");
    }

    /**
     * Cuts a request into arrays that the site allows. Ranks are one job of many nodes.
     *
     * @param limit how many jobs an array may have; below 2 there are no arrays
     */
    static List<JobArray> cut(JobRequest request, int limit) {
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
     * Returns true where the arrays of a request must run one after the other: a scheduler counts the running jobs of
     * each array by itself. The later ones find work only if the earlier ones left some.
     */
    static boolean oneByOne(JobRequest request) {
        return request.maxRunning() > 0 && request.maxRunning() < request.jobs();
    }
}
