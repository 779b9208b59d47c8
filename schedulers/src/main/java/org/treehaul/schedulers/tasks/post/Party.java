// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.tasks.TaskInfo;

/**
 * The mailbox of a member, the senders that wait for room in it, and the receipts that wait for messages. No receipt
 * waits for a message that is here. Guarded by the lock of the hub.
 */
final class Party {

    private final long room;
    private final ArrayDeque<Letter> queued = new ArrayDeque<>();
    private final ArrayDeque<Letter> waiting = new ArrayDeque<>();
    private long bytes;
    final List<Receipt> receipts = new ArrayList<>();
    /** Messages that the receiver has, but has not acknowledged. */
    final List<Letter> unacknowledged = new ArrayList<>();
    /** The task; null for the creator. */
    @Nullable TaskInfo task;

    Party(long room, @Nullable TaskInfo task) {
        this.room = room;
        this.task = task;
    }

    boolean hasEnded() {
        TaskInfo info = task;
        return info != null && info.state().hasEnded();
    }

    /** Adds a message to the mailbox, or to those that wait for room. */
    void add(Letter letter, Outcomes outcomes) {
        waiting.add(letter);
        admit(outcomes);
    }

    /** Removes and returns the first message that a receipt accepts; null if there is none. */
    @Nullable Letter take(Receipt receipt, Outcomes outcomes) {
        Letter letter = first(queued, receipt);
        if (letter == null) {
            // Its sender may wait behind messages that this receipt does not accept.
            letter = first(waiting, receipt);
        }
        if (letter != null) {
            remove(letter, outcomes);
        }
        return letter;
    }

    private static @Nullable Letter first(Iterable<Letter> letters, Receipt receipt) {
        for (Letter letter : letters) {
            if (receipt.accepts(letter.from())) {
                return letter;
            }
        }
        return null;
    }

    /** Removes a message. Returns false if it is not here any more. */
    boolean remove(Letter letter, Outcomes outcomes) {
        boolean wasQueued = letter.place == Letter.Place.QUEUED && queued.remove(letter);
        if (wasQueued) {
            bytes -= letter.cost();
        } else if (letter.place != Letter.Place.WAITING || !waiting.remove(letter)) {
            return false;
        }
        letter.place = Letter.Place.GONE;
        admit(outcomes);
        return true;
    }

    /** Removes and returns all messages. */
    List<Letter> clear() {
        List<Letter> all = new ArrayList<>(queued);
        all.addAll(waiting);
        all.forEach(letter -> letter.place = Letter.Place.GONE);
        queued.clear();
        waiting.clear();
        bytes = 0;
        return all;
    }

    /** Removes and returns the messages of a sender that wait for room. */
    List<Letter> clearWaiting(int from, Outcomes outcomes) {
        List<Letter> all = new ArrayList<>();
        for (Iterator<Letter> letters = waiting.iterator(); letters.hasNext();) {
            Letter letter = letters.next();
            if (letter.from() == from) {
                letters.remove();
                letter.place = Letter.Place.GONE;
                all.add(letter);
            }
        }
        admit(outcomes);
        return all;
    }

    private void admit(Outcomes outcomes) {
        for (Letter next = waiting.peek(); next != null
                && (queued.isEmpty() || bytes + next.cost() <= room); next = waiting.peek()) {
            waiting.remove();
            next.place = Letter.Place.QUEUED;
            queued.add(next);
            bytes += next.cost();
            if (!next.isAcknowledged()) {
                outcomes.sent(next);
            }
        }
    }
}
