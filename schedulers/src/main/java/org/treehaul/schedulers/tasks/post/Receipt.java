// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.treehaul.schedulers.tasks.GroupMember;

/**
 * A member that waits for a message.
 *
 * @param member the number of the member
 * @param source the member whose message it wants, or {@link GroupMember#ANY}
 * @param letter the message; empty if the receipt was cancelled before one came. Fails if none can come
 */
public record Receipt(int member, int source, CompletableFuture<Optional<Letter>> letter) {

    /** Creates a receipt that waits. */
    public static Receipt of(int member, int source) {
        return new Receipt(member, source, new CompletableFuture<>());
    }

    boolean accepts(int from) {
        return source == GroupMember.ANY || source == from;
    }
}
