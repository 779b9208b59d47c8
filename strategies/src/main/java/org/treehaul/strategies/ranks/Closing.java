// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

/**
 * Closes a group once rank 0 knows that all work is done. END goes down a binary tree of the ranks; a rank that has
 * received it requests no more work, but still refuses requests. When the answer to its own last request has come and
 * all ranks below it are ready, it is ready. When all are, no request and no answer is on its way and none will be
 * sent, so CLOSE, down the same tree, is the last message that each rank receives: no rank leaves with a message
 * unread, which MPJ Express would not survive.
 */
final class Closing {

    private final int rank;
    private final int size;
    private final Outbox outbox;
    private int missing;
    private boolean over;
    private boolean ready;
    private boolean closed;

    Closing(Group group, Outbox outbox) {
        this.rank = group.rank();
        this.size = group.size();
        this.outbox = outbox;
        this.missing = Math.clamp(size - (2 * rank + 1), 0, 2);
    }

    boolean isOver() {
        return over;
    }

    boolean isClosed() {
        return closed;
    }

    /** Starts closing: rank 0 found that all work is done, or END arrived. */
    void end() {
        over = true;
        toChildren(Message.Kind.END);
    }

    void childReady() {
        missing--;
    }

    /** Called after the end, when this rank waits for no answer. */
    void quiet() {
        if (!ready && missing == 0) {
            ready = true;
            if (rank == 0) {
                close();
            } else {
                outbox.send((rank - 1) / 2, Message.of(Message.Kind.READY, 0));
            }
        }
    }

    void close() {
        toChildren(Message.Kind.CLOSE);
        closed = true;
    }

    private void toChildren(Message.Kind kind) {
        for (int child = 2 * rank + 1; child <= 2 * rank + 2 && child < size; child++) {
            outbox.send(child, Message.of(kind, 0));
        }
    }
}
