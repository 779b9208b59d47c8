// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

import org.treehaul.core.fs.Call;
import org.treehaul.core.walk.WorkerTimes;

/**
 * What the time of the threads of a rank went into, in nanoseconds of all threads together. Nothing is counted twice.
 *
 * @param threads how many they were
 * @param nanos from their beginning to their end
 * @param callback what the handler or visitor took, without the system calls that it made
 * @param waiting time in which a thread had no work
 * @param calls the system calls, of the walk and of the handler
 */
public record RankTimes(int threads, long nanos, long callback, long waiting, Map<Call, CallTime> calls) {

    /**
     * What one kind of call took.
     *
     * @param count how often it was made
     * @param nanos how long that took
     */
    public record CallTime(long count, long nanos) {}

    private static final Set<Call> DATA = EnumSet.of(Call.READ, Call.WRITE, Call.PREAD, Call.PWRITE, Call.LSEEK,
            Call.COPY_FILE_RANGE, Call.FICLONE, Call.FALLOCATE, Call.FTRUNCATE, Call.FSYNC, Call.FDATASYNC, Call.SYNCFS,
            Call.POSIX_FADVISE);

    /** Makes a value. */
    public RankTimes {
        calls = Map.copyOf(calls);
    }

    /** Returns the sum over threads. */
    static RankTimes of(Collection<WorkerTimes> threads) {
        Map<Call, CallTime> calls = new EnumMap<>(Call.class);
        for (Call call : Call.values()) {
            long count = threads.stream().mapToLong(t -> t.calls().count(call)).sum();
            if (count > 0) {
                calls.put(call, new CallTime(count, threads.stream().mapToLong(t -> t.calls().nanos(call)).sum()));
            }
        }
        return new RankTimes(threads.size(), threads.stream().mapToLong(WorkerTimes::nanos).sum(),
                threads.stream().mapToLong(WorkerTimes::callbackNanos).sum(),
                threads.stream().mapToLong(WorkerTimes::waitingNanos).sum(), calls);
    }

    /** Returns the time in statx. */
    public long stat() {
        return nanos(EnumSet.of(Call.STATX));
    }

    /** Returns the time in getdents64. */
    public long readdir() {
        return nanos(EnumSet.of(Call.GETDENTS64));
    }

    /** Returns the time in calls that move data or make them durable. */
    public long data() {
        return nanos(DATA);
    }

    /** Returns the time in all other calls: open, close and so on. */
    public long otherCalls() {
        return nanos(EnumSet.allOf(Call.class)) - stat() - readdir() - data();
    }

    /** Returns what is left: the time that the walk itself took. */
    public long walk() {
        return Math.max(0, nanos - callback - waiting - nanos(EnumSet.allOf(Call.class)));
    }

    private long nanos(Set<Call> some) {
        return calls.entrySet()
                .stream()
                .filter(e -> some.contains(e.getKey()))
                .mapToLong(e -> e.getValue().nanos)
                .sum();
    }
}
