// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.local;

import java.util.List;
import java.util.Map;

import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.schedulers.common.Programs;

/** Provides this machine. It is never detected, because only the user can choose not to use the cluster. */
public final class LocalProvider implements SchedulerProvider {

    /** Returns the scheduler whose programs get this environment. */
    public static Scheduler scheduler(Map<String, String> environment) {
        return new LocalScheduler(new Programs(environment));
    }

    @Override
    public List<String> names() {
        return List.of("local");
    }

    @Override
    public Scheduler named(String name, Map<String, String> environment) {
        return scheduler(environment);
    }

    @Override
    public Scheduler detect(Map<String, String> environment) throws SchedulerException {
        throw new SchedulerException("it must be named");
    }
}
