// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.List;
import java.util.Optional;

/**
 * A measurement: a task, on a tree, by tools.
 *
 * @param name its name on the command line
 * @param title its title in the report
 * @param data the tree; empty if none is needed
 * @param where the places to run it at
 * @param isCold whether the caches are dropped before each run
 * @param task the task of the tools
 * @param tools the tools that take part
 * @param baseline the tool to which the times are compared, if it takes part
 * @param goals the goals of TreeHaul
 */
record Scenario(String name, String title, Optional<DataSet> data, Where where, boolean isCold, Task task,
        List<Tool> tools, String baseline, List<Goal> goals) {

    /** The places for a scenario. */
    enum Where {
        /** All places. */
        EACH,
        /** Places in memory; the first place if there is none. */
        MEMORY,
        /** Places that are not in memory. */
        DISK
    }

    /** The task of the tools. */
    enum Task {
        /** The tree is read. */
        READ,
        /** The tree is copied to a fresh name, and the copy judged. */
        COPY,
        /** The tree is compared with a copy of it. */
        COMPARE,
        /** A copy of the tree is removed. */
        REMOVE,
        /** The tree is indexed in a fresh space. */
        INDEX
    }

    Scenario {
        tools = List.copyOf(tools);
        goals = List.copyOf(goals);
    }

    /** Returns whether the tree takes gigabytes of memory, so that it is measured only on request. */
    boolean isLarge() {
        return data.equals(Optional.of(DataSet.WIDE));
    }

    List<Place> places(List<Place> all) {
        List<Place> fitting = all.stream().filter(place -> switch (where) {
            case EACH -> true;
            case MEMORY -> place.isMemory();
            case DISK -> !place.isMemory();
        }).toList();
        if (data.isEmpty() || where == Where.MEMORY && fitting.isEmpty()) {
            return all.subList(0, 1);
        }
        return fitting;
    }
}
