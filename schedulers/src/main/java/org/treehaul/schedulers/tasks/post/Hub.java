// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.post;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.schedulers.tasks.GroupMember;
import org.treehaul.schedulers.tasks.TaskGroupException;
import org.treehaul.schedulers.tasks.TaskInfo;

/**
 * All mailboxes and states of a group, in the process of its creator. A message between two other processes passes
 * through here, so that the end of a task has one place among all messages. Safe for any number of threads.
 *
 * <p>
 * Memory is bounded by the mailboxes and by one message for each thread that sends, which waits until it has a place.
 */
public final class Hub implements Post {

    private static final int LISTED = 3;

    private final Object lock = new Object();
    private final IntConsumer killer;
    private final Party creator;
    private final List<Party> tasks = new ArrayList<>();
    private int running;
    private boolean isFreed;

    /**
     * Creates the hub of tasks that run.
     *
     * @param tasks the tasks, in the order of their numbers
     * @param mailbox bytes of messages that may wait for one member
     * @param killer ends the thread of a task, after its state has changed
     */
    public Hub(List<TaskInfo> tasks, int mailbox, IntConsumer killer) {
        this.killer = killer;
        this.creator = new Party(mailbox, null);
        tasks.forEach(task -> this.tasks.add(new Party(mailbox, task)));
        this.running = tasks.size();
    }

    private Party party(int member) {
        return member == GroupMember.CREATOR ? creator : tasks.get(member);
    }

    @Override
    public Letter send(int from, int to, byte[] content, boolean isAcknowledged) {
        Letter letter = new Letter(from, to, content, isAcknowledged);
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            TaskGroupException refusal = refusal(from);
            if (refusal == null && party(to).hasEnded()) {
                refusal = ended(to, "");
            }
            if (refusal == null) {
                deliver(letter, outcomes);
            } else {
                letter.place = Letter.Place.GONE;
                outcomes.failed(letter, refusal);
            }
        }
        outcomes.report();
        return letter;
    }

    private void deliver(Letter letter, Outcomes outcomes) {
        Party receiver = party(letter.to());
        for (Iterator<Receipt> receipts = receiver.receipts.iterator(); receipts.hasNext();) {
            Receipt receipt = receipts.next();
            if (receipt.accepts(letter.from())) {
                receipts.remove();
                letter.place = Letter.Place.GONE;
                hand(letter, receipt, outcomes);
                return;
            }
        }
        receiver.add(letter, outcomes);
    }

    private void hand(Letter letter, Receipt receipt, Outcomes outcomes) {
        if (letter.isAcknowledged()) {
            party(receipt.member()).unacknowledged.add(letter);
        } else {
            outcomes.sent(letter);
        }
        outcomes.received(receipt, letter);
    }

    @Override
    public void withdraw(Letter letter) {
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            // The sender of a message in the mailbox may know already that it was sent.
            boolean isSent = letter.place == Letter.Place.QUEUED && !letter.isAcknowledged();
            if (!isSent && party(letter.to()).remove(letter, outcomes)) {
                outcomes.withdrawn(letter);
            }
        }
        outcomes.report();
    }

    @Override
    public Receipt receive(int member, int source) {
        Receipt receipt = Receipt.of(member, source);
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            TaskGroupException refusal = refusal(member);
            Letter letter = refusal == null ? party(member).take(receipt, outcomes) : null;
            if (letter != null) {
                hand(letter, receipt, outcomes);
            } else {
                TaskGroupException never = refusal == null ? neverComes(receipt) : refusal;
                if (never == null) {
                    party(member).receipts.add(receipt);
                } else {
                    outcomes.failed(receipt, never);
                }
            }
        }
        outcomes.report();
        return receipt;
    }

    @Override
    public void cancel(Receipt receipt) {
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            if (party(receipt.member()).receipts.remove(receipt)) {
                outcomes.cancelled(receipt);
            }
        }
        outcomes.report();
    }

    @Override
    public void acknowledge(Letter letter) {
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            if (party(letter.to()).unacknowledged.remove(letter)) {
                outcomes.sent(letter);
            }
        }
        outcomes.report();
    }

    /** Returns why a member can neither send nor receive; null if it can. */
    private @Nullable TaskGroupException refusal(int member) {
        if (isFreed) {
            return new TaskGroupException("the group was freed");
        }
        return party(member).hasEnded() ? ended(member, "") : null;
    }

    /** Returns why no message comes that a receipt accepts; null if one may come. */
    private @Nullable TaskGroupException neverComes(Receipt receipt) {
        int source = receipt.source();
        if (source == GroupMember.ANY) {
            // A task may hear from the creator as long as there is a group.
            return receipt.member() == GroupMember.CREATOR && running == 0 ? allEnded() : null;
        }
        return party(source).hasEnded() ? ended(source, "") : null;
    }

    private TaskGroupException ended(int task, String addition) {
        return new TaskGroupException(Objects.requireNonNull(tasks.get(task).task) + addition, task);
    }

    private TaskGroupException allEnded() {
        List<TaskInfo> failed = query().stream().filter(task -> task.state() != TaskInfo.State.DONE).toList();
        StringBuilder text = new StringBuilder("all tasks have ended, and there are no more messages");
        failed.stream().limit(LISTED).forEach(task -> text.append("; ").append(task));
        if (failed.size() > LISTED) {
            text.append("; and ").append(failed.size() - LISTED).append(" more");
        }
        return new TaskGroupException(text.toString(), failed.isEmpty() ? -1 : failed.getFirst().index());
    }

    @Override
    public List<TaskInfo> query() {
        synchronized (lock) {
            return tasks.stream().map(party -> Objects.requireNonNull(party.task)).toList();
        }
    }

    @Override
    public void kill(int task) {
        if (end(task, TaskInfo.State.KILLED, "")) {
            killer.accept(task);
        }
    }

    /**
     * Records the end of a task: it sends and receives nothing more, and all that wait for it fail. Messages that it
     * sent remain. Does nothing if it has ended already.
     *
     * @param state the state of a task that has ended
     * @return whether the task ran until now
     */
    public boolean end(int task, TaskInfo.State state, String detail) {
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            Party party = tasks.get(task);
            TaskInfo before = Objects.requireNonNull(party.task);
            if (before.state().hasEnded()) {
                return false;
            }
            party.task = new TaskInfo(task, before.segment(), before.instance(), before.host(), state, detail);
            running--;
            TaskGroupException why = ended(task, "");
            endOwn(party, why, ended(task, "; it did not receive the message"), outcomes);
            endOfSource(creator, task, why, outcomes);
            // One exception for all: a group of thousands would spend minutes on one for each other member.
            tasks.forEach(other -> endOfSource(other, task, why, outcomes));
            lock.notifyAll();
        }
        outcomes.report();
        return true;
    }

    private static void endOwn(Party party, TaskGroupException why, TaskGroupException unreceived, Outcomes outcomes) {
        party.receipts.forEach(receipt -> outcomes.failed(receipt, why));
        party.receipts.clear();
        List<Letter> lost = party.clear();
        lost.addAll(party.unacknowledged);
        party.unacknowledged.clear();
        // A message without acknowledgement in the mailbox has its result already.
        lost.forEach(letter -> outcomes.failed(letter, unreceived));
    }

    private void endOfSource(Party receiver, int task, TaskGroupException why, Outcomes outcomes) {
        receiver.clearWaiting(task, outcomes).forEach(letter -> outcomes.failed(letter, why));
        for (Iterator<Receipt> receipts = receiver.receipts.iterator(); receipts.hasNext();) {
            Receipt receipt = receipts.next();
            TaskGroupException never = neverComes(receipt);
            if (never != null) {
                receipts.remove();
                outcomes.failed(receipt, never);
            }
        }
    }

    /**
     * Waits until all tasks have ended.
     *
     * @return false if one still runs after the time
     */
    public boolean await(Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + nanos(timeout);
        synchronized (lock) {
            while (running > 0) {
                long rest = end - System.nanoTime();
                if (rest <= 0) {
                    return false;
                }
                // Rounded up: a wait of 0 ms has no limit.
                lock.wait(rest / 1_000_000 + 1);
            }
            return true;
        }
    }

    static long nanos(Duration timeout) {
        // About 146 years: more would overflow when it is added to a time.
        return timeout.compareTo(Duration.ofNanos(Long.MAX_VALUE / 2)) > 0 ? Long.MAX_VALUE / 2 : timeout.toNanos();
    }

    /** Ends all tasks and all that wait. Returns whether the group was not freed before. */
    public boolean free() {
        synchronized (lock) {
            if (isFreed) {
                return false;
            }
            isFreed = true;
        }
        for (int task = 0; task < tasks.size(); task++) {
            end(task, TaskInfo.State.KILLED, "the group was freed");
        }
        Outcomes outcomes = new Outcomes();
        synchronized (lock) {
            TaskGroupException why = new TaskGroupException("the group was freed");
            creator.receipts.forEach(receipt -> outcomes.failed(receipt, why));
            creator.receipts.clear();
            creator.clear().forEach(letter -> outcomes.failed(letter, why));
        }
        outcomes.report();
        return true;
    }
}
