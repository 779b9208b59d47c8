// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * Counts and total times of the calls that one thread makes. Updated by that thread; other threads may read them after
 * it has ended.
 */
public final class CallTimes {

    /** Count and total time of one kind of call. */
    private static final class Sum {
        private long count;
        private long nanos;
    }

    private final Map<Call, Sum> sums = new EnumMap<>(Call.class);
    private long total;

    /** Creates the times of a thread that has made no call yet. */
    public CallTimes() {
        for (Call call : Call.values()) {
            sums.put(call, new Sum());
        }
    }

    /** Decorates calls so that their times are added to this object. Only its thread may use the result. */
    public FileSystemCalls over(FileSystemCalls calls) {
        return new Timed(calls, this);
    }

    /** Returns the number of times that a call was made. */
    public long count(Call call) {
        return sum(call).count;
    }

    /** Returns the nanoseconds spent in a call, summed over all times it was made. */
    public long nanos(Call call) {
        return sum(call).nanos;
    }

    /** Returns the nanoseconds spent in all calls. */
    public long nanos() {
        return total;
    }

    private Sum sum(Call call) {
        return Objects.requireNonNull(sums.get(call));
    }

    /** Measures how long each call takes. For one thread. */
    private static final class Timed extends InterceptedCalls {

        private final CallTimes times;

        Timed(FileSystemCalls calls, CallTimes times) {
            super(calls);
            this.times = times;
        }

        @Override
        protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
            long began = System.nanoTime();
            long answer = made.getAsLong();
            long took = System.nanoTime() - began;
            Sum sum = times.sum(call);
            sum.count++;
            sum.nanos += took;
            times.total += took;
            return answer;
        }
    }
}
