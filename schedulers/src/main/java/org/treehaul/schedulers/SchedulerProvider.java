// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers;

import java.util.List;
import java.util.Map;

/**
 * Provides schedulers. Those of TreeHaul are always there; {@link java.util.ServiceLoader} finds those that other jars
 * add: public classes with a constructor without parameters. Any thread may call the methods.
 */
public interface SchedulerProvider {

    /**
     * Returns the names that {@link org.treehaul.schedulers.discovery.Schedulers#named} accepts for the schedulers of
     * this provider: lower-case letters, digits and hyphens, at least one name. No other provider may have the same
     * name, and none is {@code auto}.
     */
    List<String> names();

    /**
     * Returns the scheduler with one of the names. {@link Scheduler#name} of the result is one of them, too, so that
     * later commands find the scheduler of jobs again.
     *
     * @param environment the environment in which its programs are looked up and run
     * @throws SchedulerException if this machine has no such scheduler; the message names what was tried
     */
    Scheduler named(String name, Map<String, String> environment) throws SchedulerException;

    /**
     * Returns the scheduler of this machine, for users who name none.
     *
     * @throws SchedulerException if this machine has no scheduler of this provider; the message names what was tried,
     *         such as {@code sbatch is not on the PATH}
     */
    Scheduler detect(Map<String, String> environment) throws SchedulerException;
}
