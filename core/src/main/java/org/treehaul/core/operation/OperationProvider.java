// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.util.SortedMap;

import org.treehaul.core.annotation.Api;

/**
 * An operation that another jar adds. The class is public, has a public constructor without parameters, and is named in
 * {@code META-INF/services/org.treehaul.core.operation.OperationProvider} of its jar. The process that creates a
 * transfer and each of its jobs load it; any thread may call its methods.
 */
@Api
public interface OperationProvider {

    /** Returns the name: lower-case letters, digits and hyphens, beginning with a letter. */
    String name();

    /**
     * Returns the version of the semantics of the name and the parameters, 1 or more. A job refuses a transfer of
     * another version before it writes anything.
     */
    int version();

    /** Returns the property that makes a second attempt at an entry safe. */
    Repetition repetition();

    /**
     * Creates the operation of one worker.
     *
     * @param parameters the parameters of the transfer
     * @throws IllegalArgumentException if a parameter is missing, unknown or cannot be read; the message names it
     */
    EntryOperation create(SortedMap<String, String> parameters);
}
