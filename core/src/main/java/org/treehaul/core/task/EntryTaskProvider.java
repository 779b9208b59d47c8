// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.util.SortedMap;

import org.treehaul.core.annotation.Api;

/**
 * Creates the tasks of a jar. The class is public, has a public constructor without parameters, and is named in
 * {@code META-INF/services/org.treehaul.core.task.EntryTaskProvider} of its jar. The process that starts the work and
 * each of its jobs load it; any thread may call its methods.
 */
@Api
public interface EntryTaskProvider {

    /** Returns the name: lower-case letters, digits and hyphens, beginning with a letter, at most 64 characters. */
    String name();

    /**
     * Returns the version of the semantics of the name and the parameters, 1 or more. A job refuses work of another
     * version before it begins.
     */
    int version();

    /**
     * Creates the task of one process, or of one worker of several in it.
     *
     * @param parameters the parameters that the user gave
     * @throws IllegalArgumentException if a parameter is missing, unknown or cannot be read; the message names it
     */
    EntryTask create(SortedMap<String, String> parameters);
}
