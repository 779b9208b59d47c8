// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The program of a group.
 *
 * @param group the id of the group
 * @param tasks the number of its tasks
 * @param name the name of the provider
 * @param parameters its parameters
 */
public record GroupProgram(String group, int tasks, String name, SortedMap<String, String> parameters) {

    /** Copies the parameters. */
    public GroupProgram {
        parameters = Collections.unmodifiableSortedMap(new TreeMap<>(parameters));
    }
}
