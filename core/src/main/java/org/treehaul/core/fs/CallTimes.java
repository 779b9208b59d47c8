// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * How often a thread made each call, and how long they took. Used by that thread; others may read it when it has ended.
 */
public final class CallTimes {

    /** Of one kind of call. */
    private static final class Sum {
        private long count;
        private long nanos;
    }

    private final Map<Call, Sum> sums = new EnumMap<>(Call.class);
    private long total;

    /** Makes times of a thread that has made no call yet. */
    public CallTimes() {
        for (Call call : Call.values()) {
            sums.put(call, new Sum());
        }
    }

    /** Returns calls that are measured: for the one thread whose times these are. */
    public FileSystemCalls over(FileSystemCalls calls) {
        return new TimedCalls(calls, this);
    }

    /** Returns how often a call was made. */
    public long count(Call call) {
        return sum(call).count;
    }

    /** Returns the nanoseconds that a call took, all times together. */
    public long nanos(Call call) {
        return sum(call).nanos;
    }

    /** Returns the nanoseconds that all calls took together. */
    public long nanos() {
        return total;
    }

    int add(Call call, long began, int result) {
        return (int) add(call, began, (long) result);
    }

    long add(Call call, long began, long result) {
        long took = System.nanoTime() - began;
        Sum sum = sum(call);
        sum.count++;
        sum.nanos += took;
        total += took;
        return result;
    }

    private Sum sum(Call call) {
        return Objects.requireNonNull(sums.get(call));
    }
}
