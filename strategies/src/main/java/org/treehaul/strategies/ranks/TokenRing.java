// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * Detects that all work is done: Dijkstra's token, with counts for messages on their way (Dijkstra, EWD 998, after
 * Safra).
 *
 * <p>
 * The token of the paper, black when a rank that sent work to a lower one has seen it, is correct only if messages take
 * no time: work on its way is in no rank, and the token passes it. Therefore each rank counts the messages with work
 * that it sent, minus those that it received, and is black from receiving one until it passes the token on. The token
 * visits the ranks in order, and passes each only while that rank rests; it sums up the counts, and is black from the
 * first black rank on. Rank 0, while it rests, detects the end when the token comes back white, rank 0 is white, and
 * the sum of all counts is zero.
 *
 * <p>
 * Proof. A rank that rests begins work only when a message with work arrives. Regard the round as a cut through time:
 * each rank's moment is when it passed the token on, rank 0's when it decides. Suppose that the sum is zero and all was
 * white. A message sent before its sender's moment and received after the receiver's would make the sum one more; only
 * a message sent after its sender's moment and received before the receiver's could make up for that, and its receiver
 * would be black at its moment, unless it had passed the token in between, which happens only once a round; if it was
 * received before the moment of an earlier round, it was sent before this round began. So no message of either kind
 * exists: at the cut every message was received and every rank rested. Nothing can begin after such a cut, because work
 * comes only from a rank that works: all work is done, and was done before the token was back. So the ring never
 * detects the end too early. It also detects it eventually: once all work is done, no message with work moves; the next
 * round makes every rank white, and the one after that finds all white and the sum zero.
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
        // Rank 0 begins as if a round had just ended without result.
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

    /** Called while this rank rests; returns whether it detected that all work is done. */
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
        // The value counts until the token comes back.
        tokenBlack = true;
        outbox.send((rank + 1) % size, Message.of(asBlack ? Message.Kind.BLACK_TOKEN : Message.Kind.WHITE_TOKEN, sum));
    }

    /** Returns when rank 0 begins another round, if it rests then. */
    long wakeAt() {
        return hasToken && rank == 0 ? nextRound : Long.MAX_VALUE;
    }
}
