// SPDX-License-Identifier: Apache-2.0
package org.treehaul.strategies.ranks;

import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.fs.Call;
import org.treehaul.core.walk.WorkerTimes;

/**
 * How the threads of a rank spent their time, in nanoseconds of all threads together. No time counts twice.
 *
 * @param threads the number of threads
 * @param nanos the time from their beginning to their end
 * @param callback the time in the handler or visitor, without the system calls that it made
 * @param waiting the time in which a thread had no work
 * @param calls the system calls, of the walk and of the handler
 */
@Api
public record RankTimes(int threads, long nanos, long callback, long waiting, Map<Call, CallTime> calls) {

    /**
     * The cost of one kind of call.
     *
     * @param count the number of calls
     * @param nanos the time that they took
     */
    public record CallTime(long count, long nanos) {}

    private static final Set<Call> DATA = EnumSet.of(Call.READ, Call.WRITE, Call.PREAD, Call.PWRITE, Call.LSEEK,
            Call.COPY_FILE_RANGE, Call.FICLONE, Call.FALLOCATE, Call.FTRUNCATE, Call.FSYNC, Call.FDATASYNC, Call.SYNCFS,
            Call.POSIX_FADVISE);

    /** Copies the map. */
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

    /** Returns the sum of these times and those of the same threads in another walk. */
    RankTimes plus(RankTimes other) {
        Map<Call, CallTime> all = new EnumMap<>(Call.class);
        for (RankTimes one : List.of(this, other)) {
            one.calls.forEach((call, time) -> all.merge(call, time,
                    (a, b) -> new CallTime(a.count + b.count, a.nanos + b.nanos)));
        }
        return new RankTimes(Math.max(threads, other.threads), nanos + other.nanos, callback + other.callback,
                waiting + other.waiting, all);
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

    /** Returns the remaining time, which the walk itself took. */
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
