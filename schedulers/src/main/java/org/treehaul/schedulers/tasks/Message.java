// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks;

import java.nio.charset.StandardCharsets;

/**
 * A message that a member of a group received.
 *
 * @param source the number of the task that sent it, or {@link GroupMember#CREATOR}
 * @param content the bytes; not copied
 */
@SuppressWarnings("ArrayRecordComponent")
public record Message(int source, byte[] content) {

    /** Returns the content, decoded as UTF-8. */
    public String text() {
        return new String(content, StandardCharsets.UTF_8);
    }
}
