// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool;

import java.util.List;
import java.util.Map;

import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.SchedulerProvider;
import org.treehaul.tuplespace.store.SpaceUri;

/**
 * Provides pools of workers. The name of one contains the address of its space: {@code pool:sqlite:/srv/pool}. It is
 * never detected, because the user must name the space.
 */
public final class PoolProvider implements SchedulerProvider {

    /** The name of the provider, and the beginning of the names of its schedulers. */
    public static final String NAME = "pool";

    /** Returns the name of the scheduler of the pool in a space. */
    public static String name(SpaceUri space) {
        return NAME + ":" + space;
    }

    /** Returns whether a name is that of a pool. */
    public static boolean isPool(String name) {
        return name.equals(NAME) || name.startsWith(NAME + ":");
    }

    @Override
    public List<String> names() {
        return List.of(NAME);
    }

    @Override
    public Scheduler named(String name, Map<String, String> environment) throws SchedulerException {
        if (!name.startsWith(NAME + ":")) {
            throw new SchedulerException("a pool is named by its space: --scheduler pool --space URI");
        }
        try {
            return new PoolScheduler(SpaceUri.parse(name.substring(NAME.length() + 1)), environment);
        } catch (IllegalArgumentException e) {
            throw new SchedulerException(name + ": " + e.getMessage(), e);
        }
    }

    @Override
    public Scheduler detect(Map<String, String> environment) throws SchedulerException {
        throw new SchedulerException("its space must be named");
    }
}
