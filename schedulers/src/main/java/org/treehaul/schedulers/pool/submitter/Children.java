// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.submitter;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.treehaul.core.event.Progress;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.pool.carry.Carrier;

/**
 * The processes that carry out the transfers of other users, one for each transfer. Some stay between two turns of
 * their transfer, since each takes a third of a second to start. Used by one thread; closing ends the processes.
 */
public final class Children implements AutoCloseable {

    // As many transfers as a worker alternates between without a start each time. Each takes about 100 MB.
    private static final int MOST = 4;
    // Longer than the pauses of a transfer whose last batches other workers have.
    private static final Duration IDLE = Duration.ofMinutes(1);

    private final ChildProgram program;
    private final int threads;
    private final int number;
    private final Consumer<String> notices;
    private final Progress progress;
    // They have time to end by themselves, which no other user has to wait for.
    private final List<Thread> ending = new ArrayList<>();
    // The one that was used last comes last.
    private final Map<String, ChildCarrier> running = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Long> usedAt = new HashMap<>();
    private final LongSupplier nanos;

    /**
     * Begins without a process.
     *
     * @param threads the number of threads of each; 0 for the options of the transfer
     * @param number the number of the worker
     * @param notices receives what the processes have to say
     */
    public Children(ChildProgram program, int threads, int number, Consumer<String> notices, Progress progress) {
        this(program, threads, number, notices, progress, System::nanoTime);
    }

    Children(ChildProgram program, int threads, int number, Consumer<String> notices, Progress progress,
            LongSupplier nanos) {
        this.nanos = nanos;
        this.program = program;
        this.threads = threads;
        this.number = number;
        this.notices = notices;
        this.progress = progress;
    }

    /**
     * Lets a process of the user open a transfer.
     *
     * @return the carrier; empty if the transfer has a newer generation
     * @throws IOException if it cannot be carried out; the message gives the reason
     */
    public Optional<Carrier> open(Submitter user, String transfer, int generation)
            throws IOException, InterruptedException {
        if (!TransferId.isId(transfer) || generation < 1) {
            throw new TransferException("this is not the id of a transfer");
        }
        String key = transfer + "." + generation;
        ChildCarrier known = running.get(key);
        if (known != null && (!known.isAlive() || !known.user().equals(user))) {
            running.remove(key);
            end(known);
            known = null;
        }
        ChildCarrier child = known == null ? start(user, transfer, generation) : known;
        running.put(key, child);
        usedAt.put(key, nanos.getAsLong());
        return child.open() ? Optional.of(child) : Optional.empty();
    }

    private ChildCarrier start(Submitter user, String transfer, int generation) throws IOException {
        while (running.size() >= MOST) {
            String oldest = running.keySet().iterator().next();
            ChildCarrier ended = running.remove(oldest);
            if (ended != null) {
                end(ended);
            }
        }
        try {
            return new ChildCarrier(user,
                    ChildProcess.start(program.command(user, transfer, generation, threads, number)), program, notices,
                    progress);
        } catch (IOException e) {
            throw new TransferException("cannot start a process for " + user + ": " + e.getMessage()
                    + "; it needs the programs setsid and setpriv (Debian: util-linux)", e);
        }
    }

    /**
     * Ends the processes of other transfers than these, and those that had no turn for a while.
     *
     * @param transfersAndGenerations the transfers that may have another turn
     * @param busy the one that has its turn now, which keeps its process; empty for none
     */
    public void keepOnly(Set<String> transfersAndGenerations, String busy) {
        if (!busy.isEmpty()) {
            usedAt.put(busy, nanos.getAsLong());
        }
        long now = nanos.getAsLong();
        running.entrySet().removeIf(entry -> {
            String key = entry.getKey();
            boolean isIdle = now - usedAt.getOrDefault(key, now) > IDLE.toNanos();
            if (key.equals(busy) || transfersAndGenerations.contains(key) && !isIdle) {
                return false;
            }
            end(entry.getValue());
            return true;
        });
        usedAt.keySet().retainAll(running.keySet());
    }

    private void end(ChildCarrier child) {
        ending.removeIf(thread -> !thread.isAlive());
        if (ending.size() < MOST) {
            ending.add(Thread.ofPlatform().daemon().name("treehaul-child-end").start(child::end));
        } else {
            child.kill();
        }
    }

    @Override
    public void close() {
        keepOnly(Set.of(), "");
        try {
            for (Thread thread : ending) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
