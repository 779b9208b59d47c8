// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Received;
import org.treehaul.strategies.ranks.communicator.Traffic;

/**
 * Exchanges messages through MPJ Express. Each rank has one thread that always receives and one that sends, so that no
 * call of MPJ Express can wait for a rank that waits for this one, and callers that poll or send here never wait for
 * MPJ Express at all.
 *
 * <p>
 * MPJ Express fails if a rank exits while a frame is on its way to it. Therefore all ranks leave together: each sends
 * LEAVE after its last message; a rank that has LEAVE from all, and so owes no rank a credit, sends BYE and nothing
 * after it; a rank that has BYE from all receives no more.
 */
final class MpjCommunicator implements Communicator {

    private static final long BEAT = 1_000_000_000;
    private static final long MOST_WAITING = 256L << 20;
    // How long to wait for the lifeline, which names the lost rank, mostly at once; MPJ Express does not know it.
    private static final Duration GRACE = Duration.ofSeconds(3);
    private static final Duration LONGEST_END = Duration.ofSeconds(10);

    private final FrameChannel mpi;
    private final Members members;
    private final Lifeline lifeline;
    private final long silence;
    private final Traffic.Counter counter;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();
    private final Condition work = lock.newCondition();
    private final Condition ended = lock.newCondition();
    private final ArrayDeque<Received> inbox = new ArrayDeque<>();
    private final List<Peer> peers = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private int turn;
    private long waiting;
    private boolean woken;
    private boolean closing;
    private boolean stopped;
    private @Nullable String broken;

    /**
     * Makes the communicator of a rank; must be called on a thread of the rank's thread group.
     *
     * @param silence the time after which a rank of another process that sends nothing counts as gone; zero for never
     */
    MpjCommunicator(FrameChannel mpi, Members members, Lifeline lifeline, Duration silence) {
        this.mpi = mpi;
        this.members = members;
        this.lifeline = lifeline;
        this.silence = silence.toNanos();
        this.counter = new Traffic.Counter(members.size());
        long now = System.nanoTime();
        for (int other = 0; other < members.size(); other++) {
            peers.add(new Peer(other, now));
        }
        lifeline.onBreak(this::broke);
        start("receives", () -> report(this::receive));
        start("sends", () -> report(this::sendAll));
        if (this.silence > 0) {
            Thread.ofPlatform().daemon().name("treehaul-rank-" + rank() + "-watches").start(() -> report(this::watch));
        }
    }

    // All ranks would wait for ever for a thread that ended without a report, for example when memory ran out.
    private void report(Runnable body) {
        try {
            try {
                body.run();
            } catch (RanksException e) {
                suspect(e);
            }
        } catch (RuntimeException | Error e) {
            lifeline.report(members.name(rank()) + " failed: " + e);
        }
    }

    private void start(String does, Runnable body) {
        // The new thread belongs to the thread group of its creator.
        threads.add(Thread.ofPlatform().daemon(true).name("treehaul-rank-" + rank() + "-" + does).start(body));
    }

    @Override
    public int rank() {
        return mpi.rank();
    }

    @Override
    public int size() {
        return members.size();
    }

    @Override
    public int hostOf(int other) {
        return members.host(other);
    }

    @Override
    public String hostName(int other) {
        return members.hostName(other);
    }

    @Override
    public void send(int to, byte[] message) {
        boolean isTooMuch;
        lock.lock();
        try {
            requireWhole();
            counter.sent(to, message);
            if (to == rank()) {
                inbox.add(new Received(to, message));
                arrived.signal();
                return;
            }
            waiting += peers.get(to).add(message);
            isTooMuch = waiting > MOST_WAITING;
            work.signal();
        } finally {
            lock.unlock();
        }
        if (isTooMuch) {
            lifeline.report(members.name(rank()) + " has " + (MOST_WAITING >> 20)
                    + " MiB of messages that are not received, the last for " + members.name(to));
        }
    }

    @Override
    public Optional<Received> poll(Duration longest) {
        long left = TimeUnit.NANOSECONDS.convert(longest);
        lock.lock();
        try {
            while (inbox.isEmpty() && !woken && left > 0 && broken == null) {
                left = arrived.awaitNanos(left);
            }
            requireWhole();
            if (!inbox.isEmpty()) {
                return Optional.of(take());
            }
            woken = false;
            return Optional.empty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException("rank " + rank() + " was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private Received take() {
        Received received = inbox.remove();
        if (received.from() != rank()) {
            Peer peer = peers.get(received.from());
            peer.taken(received.bytes());
            if (peer.owesCredit()) {
                work.signal();
            }
        }
        return received;
    }

    private void requireWhole() {
        if (broken != null) {
            throw new RanksException(broken);
        }
        if (closing) {
            throw new IllegalStateException("closed");
        }
    }

    @Override
    public void wake() {
        lock.lock();
        try {
            woken = true;
            arrived.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Traffic traffic() {
        lock.lock();
        try {
            return counter.traffic();
        } finally {
            lock.unlock();
        }
    }

    private void broke(String reason) {
        lock.lock();
        try {
            broken = reason;
            arrived.signalAll();
            work.signalAll();
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void receive() {
        boolean expectsMore = size() > 1;
        while (expectsMore) {
            expectsMore = received(mpi.receive());
        }
    }

    private boolean received(Received frame) {
        Frame.Kind kind = Frame.kind(frame.bytes());
        lock.lock();
        try {
            Peer peer = peers.get(frame.from());
            peer.delivered(kind, frame.bytes(), System.nanoTime());
            switch (kind) {
                case DATA -> {
                    inbox.add(new Received(frame.from(), Frame.message(frame.bytes())));
                    if (closing) {
                        take();
                    }
                    arrived.signal();
                }
                case CREDIT, LEAVE, BYE -> work.signal();
                case BEAT, STOP -> {
                }
            }
            return kind != Frame.Kind.STOP && (kind != Frame.Kind.BYE || !others(Peer::hasSaidBye));
        } finally {
            lock.unlock();
        }
    }

    private void sendAll() {
        for (Received next = next(); next != null; next = next()) {
            mpi.send(next.bytes(), next.from());
        }
        if (lifeline.reason() != null && size() > 1) {
            // No other rank will end the receiving thread. Within a process it would wait for ever; with niodev it
            // does not even receive this frame.
            mpi.send(Frame.of(Frame.Kind.STOP), rank());
        }
    }

    // Returns null when there will never be another frame to send; else a frame and, as its sender, its receiver.
    private @Nullable Received next() {
        lock.lock();
        try {
            while (broken == null) {
                long now = System.nanoTime();
                boolean allLeft = others(Peer::isLeft);
                for (int i = 0; i < peers.size(); i++) {
                    turn = (turn + 1) % peers.size();
                    byte[] frame = turn == rank()
                            ? null
                            : peers.get(turn).next(now, closing, closing && allLeft, silence > 0 ? BEAT : 0);
                    if (frame != null) {
                        waiting -= Peer.cost(Frame.kind(frame), frame);
                        return new Received(turn, frame);
                    }
                }
                if (closing && others(Peer::isGone)) {
                    break;
                }
                // Waits at most half a beat. A signal that comes while a frame is sent is not lost, because the loop
                // checks all peers.
                work.awaitNanos(BEAT / 2);
            }
            stopped = true;
            ended.signalAll();
            return null;
        } catch (InterruptedException e) {
            throw new RanksException("was interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private boolean others(Predicate<Peer> are) {
        return peers.stream().allMatch(peer -> peer.rank == rank() || are.test(peer));
    }

    // A rank that hangs, or cannot be reached, closes no connection.
    private void watch() {
        try {
            while (true) {
                Thread.sleep(Duration.ofNanos(BEAT));
                String silent;
                lock.lock();
                try {
                    if (stopped || broken != null) {
                        return;
                    }
                    long now = System.nanoTime();
                    silent = String.join(" and ",
                            peers.stream()
                                    .filter(peer -> peer.rank != rank() && peer.silence(now) > silence)
                                    .map(peer -> members.name(peer.rank))
                                    .toList());
                } finally {
                    lock.unlock();
                }
                if (!silent.isEmpty()) {
                    lifeline.report(members.name(rank()) + " has received nothing from " + silent + " for "
                            + Duration.ofNanos(silence).toSeconds() + " s");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void suspect(RanksException e) {
        Thread.ofPlatform().daemon().start(() -> {
            try {
                Thread.sleep(GRACE);
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
            lock.lock();
            try {
                if (stopped) {
                    return;
                }
            } finally {
                lock.unlock();
            }
            lifeline.report(members.name(rank()) + ": " + e.getMessage());
        });
    }

    /** Waits until every rank closes its communicator, or the group breaks. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (closing) {
                return;
            }
            while (!inbox.isEmpty()) {
                take();
            }
            closing = true;
            work.signal();
            while (broken == null && !stopped) {
                ended.await();
            }
            if (!stopped || broken != null) {
                throw new RanksException(String.valueOf(broken));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException("rank " + rank() + " was interrupted", e);
        } finally {
            lock.unlock();
        }
        // Every rank has received everything, so a failure from here on loses nothing.
        start("ends", this::end);
    }

    private void end() {
        try {
            mpi.finish();
        } catch (RanksException e) {
            // A failure here loses nothing.
        }
    }

    /** Waits until the threads of MPJ Express have ended, at most ten seconds for each. */
    void awaitEnd() {
        try {
            for (Thread thread : threads) {
                thread.join(LONGEST_END);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
