// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FaultState.Verdict;

/**
 * Makes calls fail, fall short or take long as {@link Fault}s say; passes on the others; counts all, and knows which
 * descriptors are open. With no faults it changes nothing, so it also serves to count.
 *
 * <p>
 * When several faults meet a call, all their delays and actions happen, the first result wins and the smallest limit
 * holds. Numbers of calls are counted over all threads, so the schedule of the threads decides whose call is the nth.
 */
public final class FaultInjectingCalls extends InterceptedCalls {

    private final FaultState state;

    private FaultInjectingCalls(FileSystemCalls calls, FaultState state) {
        super(calls);
        this.state = state;
    }

    /** Makes calls with faults, whose delays take real time. */
    public static FaultInjectingCalls over(FileSystemCalls calls, Fault... faults) {
        return over(calls, List.of(faults), FaultInjectingCalls::sleep);
    }

    /** Makes calls with faults, whose delays the sleeper carries out. */
    public static FaultInjectingCalls over(FileSystemCalls calls, List<Fault> faults, Consumer<Duration> sleeper) {
        return new FaultInjectingCalls(calls, new FaultState(faults, sleeper));
    }

    /** Returns how often a call was made or made to fail. */
    public long count(Call call) {
        return state.count(call);
    }

    /** Returns how often each call was made or made to fail, without the calls that were never made. */
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

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        boolean hasName = !name.equals(NO_NAME);
        Verdict verdict = state.meet(call, descriptor,
                List.of(hasName ? state.name(descriptor, name) : state.name(descriptor)));
        return verdict.isFixed() ? verdict.result() : made.getAsLong();
    }

    private Verdict on(Call call, int descriptor) {
        return state.meet(call, descriptor, List.of(state.name(descriptor)));
    }

    private Verdict on(Call call, int descriptor, int other) {
        return state.meet(call, descriptor, List.of(state.name(descriptor), state.name(other)));
    }

    private Verdict onNames(Call call, int directory, MemorySegment name, int otherDirectory, MemorySegment otherName) {
        return state.meet(call, directory, List.of(state.name(directory, name), state.name(otherDirectory, otherName)));
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        ByteString opened = state.nameToOpen(directory, name, flags);
        Verdict verdict = state.meet(Call.OPENAT, directory, List.of(opened));
        return verdict.isFixed()
                ? (int) verdict.result()
                : state.opened(calls.openat(directory, name, flags, mode), opened);
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        ByteString opened = state.nameToOpen(directory, name, flags);
        Verdict verdict = state.meet(Call.OPENAT2, directory, List.of(opened));
        return verdict.isFixed()
                ? (int) verdict.result()
                : state.opened(calls.openat2(directory, name, flags, mode, resolve), opened);
    }

    // Closed in any case, as the kernel does.
    @Override
    public int close(int descriptor) {
        Verdict verdict = on(Call.CLOSE, descriptor);
        state.closing(descriptor);
        int result = calls.close(descriptor);
        return verdict.isFixed() ? (int) verdict.result() : result;
    }

    @Override
    public int getdents64(int descriptor, MemorySegment buffer) {
        Verdict verdict = on(Call.GETDENTS64, descriptor);
        Fault.ListingEnd end = verdict.listingEnd();
        if (verdict.isFixed() || end == null) {
            return verdict.isFixed() ? (int) verdict.result() : calls.getdents64(descriptor, verdict.limited(buffer));
        }
        int left = state.entriesLeft(descriptor, end);
        int filled = left <= 0 ? -end.errno() : calls.getdents64(descriptor, verdict.limited(buffer));
        return filled <= 0 ? filled : state.cut(descriptor, buffer, filled, left);
    }

    @Override
    public long read(int descriptor, MemorySegment buffer) {
        Verdict verdict = on(Call.READ, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.read(descriptor, verdict.limited(buffer));
    }

    @Override
    public long write(int descriptor, MemorySegment buffer) {
        Verdict verdict = on(Call.WRITE, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.write(descriptor, verdict.limited(buffer));
    }

    @Override
    public long pread(int descriptor, MemorySegment buffer, long offset) {
        Verdict verdict = on(Call.PREAD, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.pread(descriptor, verdict.limited(buffer), offset);
    }

    @Override
    public long pwrite(int descriptor, MemorySegment buffer, long offset) {
        Verdict verdict = on(Call.PWRITE, descriptor);
        return verdict.isFixed() ? verdict.result() : calls.pwrite(descriptor, verdict.limited(buffer), offset);
    }

    @Override
    public long copyFileRange(int source, MemorySegment sourceOffset, int destination, MemorySegment destinationOffset,
            long length) {
        Verdict verdict = on(Call.COPY_FILE_RANGE, source, destination);
        return verdict.isFixed()
                ? verdict.result()
                : calls.copyFileRange(source, sourceOffset, destination, destinationOffset,
                        Math.min(length, verdict.limit()));
    }

    @Override
    public int ficlone(int destination, int source) {
        Verdict verdict = on(Call.FICLONE, destination, source);
        return verdict.isFixed() ? (int) verdict.result() : calls.ficlone(destination, source);
    }

    @Override
    public int linkat(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        Verdict verdict = onNames(Call.LINKAT, oldDirectory, oldName, newDirectory, newName);
        return verdict.isFixed()
                ? (int) verdict.result()
                : calls.linkat(oldDirectory, oldName, newDirectory, newName, flags);
    }

    @Override
    public int renameat2(int oldDirectory, MemorySegment oldName, int newDirectory, MemorySegment newName, int flags) {
        Verdict verdict = onNames(Call.RENAMEAT2, oldDirectory, oldName, newDirectory, newName);
        return verdict.isFixed()
                ? (int) verdict.result()
                : calls.renameat2(oldDirectory, oldName, newDirectory, newName, flags);
    }
}
