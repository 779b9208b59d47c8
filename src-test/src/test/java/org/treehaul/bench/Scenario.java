// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.util.List;
import java.util.Optional;

/**
 * What is measured: a task, on a tree, by tools.
 *
 * @param name what the user calls it
 * @param title what the report calls it
 * @param data the tree; empty where none is needed
 * @param where on which of the places
 * @param isCold whether the caches are dropped before each run
 * @param task what the tools do
 * @param tools who takes part
 * @param baseline the tool to which the times are set in relation, where it takes part
 * @param goals what TreeHaul wants to reach
 */
record Scenario(String name, String title, Optional<DataSet> data, Where where, boolean isCold, Task task,
        List<Tool> tools, String baseline, List<Goal> goals) {

    /** Which places a scenario is for. */
    enum Where {
        /** All. */
        EACH,
        /** Those in memory; the first one where there is none. */
        MEMORY,
        /** Those that are not in memory. */
        DISK
    }

    /** What is done with the trees. */
    enum Task {
        /** The tree is read. */
        READ,
        /** The tree is copied to a fresh name, and the copy judged. */
        COPY,
        /** The tree is compared with a copy of it. */
        COMPARE
    }

    Scenario {
        tools = List.copyOf(tools);
        goals = List.copyOf(goals);
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
