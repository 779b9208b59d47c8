// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

import org.treehaul.core.entry.ByteString;

/**
 * Makes calls fail, fall short or take long as {@link Fault}s say; passes on the others; counts all, and knows which
 * descriptors are open. With no faults it changes nothing, so it also serves to count.
 *
 * <p>
 * When several faults meet a call, all their delays and actions happen, the first result wins and the smallest limit
 * holds. Numbers of calls are counted over all threads; which thread's call is the nth is theirs to settle.
 */
public final class FaultInjectingCalls extends FaultDecorator {

    private final FaultState state;

    private FaultInjectingCalls(FileSystemCalls calls, FaultState state) {
        super(calls, state);
        this.state = state;
    }

    /** Puts faults over calls. Delays are real. */
    public static FaultInjectingCalls over(FileSystemCalls calls, Fault... faults) {
        return over(calls, List.of(faults), FaultInjectingCalls::sleep);
    }

    /** Puts faults over calls, with the sleeper to carry out the delays. */
    public static FaultInjectingCalls over(FileSystemCalls calls, List<Fault> faults, Consumer<Duration> sleeper) {
        return new FaultInjectingCalls(calls, new FaultState(faults, sleeper));
    }

    /** Returns how often a call was made or made to fail. */
    public long count(Call call) {
        return state.count(call);
    }

    /** Returns how often each call was made or made to fail; those that never were are left out. */
    public Map<Call, Long> counts() {
        return state.counts();
    }

    /** Returns how many calls there were in all. */
    public long total() {
        return state.counts().values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the descriptors that are open at this moment, each with the name by which it was opened. */
    public Map<Integer, ByteString> openDescriptors() {
        return state.openDescriptors();
    }

    private static void sleep(Duration time) {
        try {
            Thread.sleep(time);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
