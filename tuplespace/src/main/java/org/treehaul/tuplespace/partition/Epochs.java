// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.tuplespace.partition.Control.Epoch;
import org.treehaul.tuplespace.partition.Control.Seen;
import org.treehaul.tuplespace.store.Attempt;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;
import org.treehaul.tuplespace.tuple.Template;

/**
 * Finds a store that was restored from an old backup. Each partition counts its epochs, and the first store keeps, for
 * each partition, the epoch that it has certainly reached and the one that it may have reached. A process that changes
 * a partition begins a new epoch every minute, and when it closes the space. Thread-safe.
 */
final class Epochs {
    private static final Logger LOG = LoggerFactory.getLogger(Epochs.class);
    /** Milliseconds between the epochs of a partition that is changed: a backup that is less old is not found. */
    private static final long INTERVAL = Duration.ofMinutes(1).toMillis();
    private static final String ACCEPT = "; restore a newer one, or accept it by 'treehaul space check --accept-old'";
    private static final Template<Epoch> EPOCHS = Template.of(Epoch.class);
    private static final Template<Seen> SEEN = Template.of(Seen.class);

    private final List<Partition> partitions;
    private final InstantSource clock;
    private final AtomicLongArray began;
    /** A bit for each partition that was changed since its epoch began. */
    private final AtomicLong changed = new AtomicLong();

    Epochs(List<Partition> partitions, InstantSource clock) {
        this.partitions = List.copyOf(partitions);
        this.clock = clock;
        began = new AtomicLongArray(partitions.size());
        for (int i = 0; i < partitions.size(); i++) {
            began.set(i, clock.millis());
        }
    }

    private Store first() {
        return partitions.getFirst().store;
    }

    /** Notes that this process has changed a partition. */
    void changed(Partition partition) {
        int number = partition.number;
        if (number == 0) {
            // It has nothing to be compared with; that it is old shows in the others.
            return;
        }
        changed.updateAndGet(bits -> bits | 1L << number);
        long last = began.get(number);
        long now = clock.millis();
        if (now - last >= INTERVAL && began.compareAndSet(number, last, now)) {
            begin(List.of(partition));
        }
    }

    /** Begins an epoch of each partition that was changed. */
    void close() {
        long bits = changed.get();
        begin(partitions.stream().filter(partition -> (bits & 1L << partition.number) != 0).toList());
    }

    private void begin(List<Partition> some) {
        if (some.isEmpty()) {
            return;
        }
        try {
            List<Long> next = Alone.in(first(), alone -> {
                List<Long> numbers = new ArrayList<>();
                for (Partition partition : some) {
                    Seen seen = seen(partition.number, true, alone);
                    numbers.add(seen.pending() + 1);
                    note(new Seen(partition.number, seen.known(), seen.pending() + 1, seen.at()), alone);
                }
                return numbers;
            });
            for (int i = 0; i < next.size(); i++) {
                Partition partition = some.get(i);
                long number = next.get(i);
                changed.updateAndGet(bits -> bits & ~(1L << partition.number));
                Alone.in(partition.store, alone -> {
                    long reached = Math.max(number, epoch(partition, true, alone));
                    partition.store.write(List.of(new Epoch(partition.number, reached)), Store.NEVER, alone);
                    return true;
                });
            }
            Alone.in(first(), alone -> {
                for (int i = 0; i < next.size(); i++) {
                    Seen seen = seen(some.get(i).number, true, alone);
                    note(new Seen(seen.number(), Math.max(seen.known(), next.get(i)),
                            Math.max(seen.pending(), next.get(i)), clock.millis()), alone);
                }
                return true;
            });
        } catch (SpaceException e) {
            LOG.debug("no new epoch, so that a backup that is older than now would not be found: {}", e.toString());
        }
    }

    private void note(Seen seen, long alone) {
        first().write(List.of(seen), Store.NEVER, alone);
    }

    private Seen seen(int number, boolean isTake, long transaction) {
        return first().attempt(SEEN.equal("number", number), isTake,
                transaction) instanceof Attempt.Hit<Seen>(Seen seen) ? seen : new Seen(number, 0, 0, 0);
    }

    private static long epoch(Partition partition, boolean isTake, long transaction) {
        return partition.store.attempt(EPOCHS, isTake, transaction) instanceof Attempt.Hit<Epoch>(Epoch epoch)
                ? epoch.epoch()
                : 0;
    }

    /** Returns whether tuples of a partition were changed since it became active. */
    static boolean isInUse(Partition partition, long transaction) {
        return epoch(partition, false, transaction) > 0;
    }

    /** Returns a problem for each partition whose store does not fit those of the others. */
    List<String> problems(PartitionMap map) {
        List<String> problems = new ArrayList<>();
        for (Partition partition : partitions) {
            if (!map.has(partition.number)) {
                if (isInUse(partition, Store.NONE)) {
                    problems.add(partition + " has been in use, and the others do not name it: they were restored from"
                            + " backups that are older than a split, or made anew; restore newer ones");
                }
            } else if (partition.number != 0) {
                problem(partition.number).ifPresent(problems::add);
            }
        }
        return problems;
    }

    private Optional<String> problem(int number) {
        Partition partition = partitions.get(number);
        Seen seen;
        long epoch;
        do {
            seen = seen(number, false, Store.NONE);
            epoch = epoch(partition, false, Store.NONE);
            // Else another process has just begun an epoch.
        } while (!seen.equals(seen(number, false, Store.NONE)));
        if (epoch < seen.known()) {
            return Optional.of(partition + " was restored from an old backup: it lacks changes that were made before "
                    + Instant.ofEpochMilli(seen.at()).truncatedTo(ChronoUnit.SECONDS) + ACCEPT);
        }
        return epoch > seen.pending()
                ? Optional.of(
                        partitions.getFirst() + " was restored from a backup that is older than " + partition + ACCEPT)
                : Optional.empty();
    }

    /** Accepts the stores of the active partitions as they are. */
    void accept(PartitionMap map) {
        for (int number : map.all()) {
            if (number != 0) {
                long epoch = epoch(partitions.get(number), false, Store.NONE);
                Alone.in(first(), alone -> {
                    seen(number, true, alone);
                    note(new Seen(number, epoch, epoch, clock.millis()), alone);
                    return true;
                });
            }
        }
    }
}
