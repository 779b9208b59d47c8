// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import org.treehaul.schedulers.tasks.Segment;

/**
 * A task to run.
 *
 * @param index its number in the group
 * @param instance its number among the tasks of the segment
 * @param segment its segment
 */
public record TaskPlace(int index, int instance, Segment segment) {

    /** Returns the host that holds the segment; empty if any may run the task. */
    public String host() {
        return segment.host().orElse("");
    }
}
