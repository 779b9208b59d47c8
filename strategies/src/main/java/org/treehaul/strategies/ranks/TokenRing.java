// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * Finds out that all work is done: Dijkstra's token, with counts for messages on their way (Dijkstra, EWD 998, after
 * Safra).
 *
 * <p>
 * The token as the paper has it, black when a rank that sent work to a lower one has seen it, is right only where a
 * message takes no time: work on its way is in no rank, and the token passes it by. So each rank counts the messages
 * with work that it sent, less those that it received, and is black from receiving one until it passes the token on.
 * The token goes round in the order of the ranks, through each only while that rank rests; it sums up the counts, and
 * is black from the first black rank on. Rank 0, while it rests, says that all is done when the token comes back white,
 * rank 0 is white, and all counts together are zero.
 *
 * <p>
 * Why that is right. A rank that rests begins work only when a message with work comes. Look at the round as a cut
 * through time: each rank's moment is when it passed the token on, rank 0's when it judges. Suppose the sum is zero and
 * all was white. A message sent before its sender's moment and received after the receiver's would make the sum one
 * more; only one sent after its sender's moment and received before the receiver's could make up for that, and its
 * receiver would be black at its moment, unless it had passed the token between, which is only once a round; received
 * before an earlier round's moment it would have been sent before this round began. So none of either kind exists: at
 * the cut every message was received and every rank rested. Nothing can begin after such a cut, as work comes only from
 * a rank that works: all is done, and was before the token was back. Never too early, then. And at last: once all is
 * done, no message with work moves; the round after makes every rank white, the one after that finds all white and the
 * sum zero.
 */
final class TokenRing {

    private final int rank;
    private final int size;
    private final long pause;
    private final Outbox outbox;
    private long count;
    private boolean black;
    private boolean hasToken;
    private boolean tokenBlack = true;
    private long tokenCount;
    private long nextRound;

    TokenRing(Group group, Outbox outbox) {
        this.rank = group.rank();
        this.size = group.size();
        this.pause = group.settings().longestPause();
        this.outbox = outbox;
        // As if a round had just ended in vain.
        this.hasToken = rank == 0;
    }

    void workSent() {
        count++;
    }

    void workReceived() {
        count--;
        black = true;
    }

    void received(boolean isBlack, long number) {
        hasToken = true;
        tokenBlack = isBlack;
        tokenCount = number;
    }

    /** Called while this rank rests; returns whether it found out that all work is done. */
    boolean rests(long now) {
        if (!hasToken) {
            return false;
        }
        if (rank == 0) {
            if (!tokenBlack && !black && tokenCount + count == 0) {
                return true;
            }
            if (now < nextRound) {
                return false;
            }
            nextRound = now + pause;
            pass(false, 0);
        } else {
            pass(tokenBlack || black, tokenCount + count);
        }
        return false;
    }

    private void pass(boolean asBlack, long sum) {
        hasToken = false;
        black = false;
        // Until it comes back.
        tokenBlack = true;
        outbox.send((rank + 1) % size, Letter.of(asBlack ? Letter.Kind.BLACK_TOKEN : Letter.Kind.WHITE_TOKEN, sum));
    }

    /** Returns when rank 0 wants to begin another round, if it rests then. */
    long wakeAt() {
        return hasToken && rank == 0 ? nextRound : Long.MAX_VALUE;
    }
}
