// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.util.SortedMap;

/**
 * A program of tasks that processes find by its name. The class is public, has a public constructor without parameters,
 * and is named in {@code META-INF/services/org.treehaul.schedulers.tasks.TaskProvider} of its jar. Any thread may call
 * its methods.
 */
public interface TaskProvider {

    /** Returns the name: lower-case letters, digits and hyphens, beginning with a letter. */
    String name();

    /**
     * Creates the program of one task.
     *
     * @param parameters the parameters of the group
     * @throws IllegalArgumentException if a parameter is missing, unknown or cannot be read; the message names it
     */
    GroupTask create(SortedMap<String, String> parameters);
}
