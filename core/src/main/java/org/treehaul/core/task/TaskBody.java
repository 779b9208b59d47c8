// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import org.treehaul.core.annotation.Api;

/** The work on each entry: a command, or a Java class. Immutable. */
@Api
public sealed interface TaskBody permits CommandTemplate, JavaTask {

    /** Returns whether it takes the path of a list in place of single paths. */
    boolean takesList();

    /** Returns whether it takes the range of a segment. */
    boolean takesSegment();
}
