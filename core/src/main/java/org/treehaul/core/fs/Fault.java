// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/**
 * A rule of {@link FaultInjectingCalls}: which calls it meets, which of those by their number, and what happens to
 * them. An immutable value; each method returns a changed copy. Without a number it meets every matching call.
 *
 * <pre>
 * Fault.on(Call.WRITE).named("big").nth(3).fails(Errno.ENOSPC)
 * Fault.on(Call.READ, Call.PREAD).atMost(100)
 * Fault.onAny().delays(Duration.ofMillis(2))
 * Fault.on(Call.GETDENTS64).named("dir").endsListing(5, Errno.EIO)
 * </pre>
 */
public final class Fault {

    private final Set<Call> calls;
    private final @Nullable ByteString name;
    private final long first;
    private final long last;
    private final @Nullable Long result;
    private final long atMost;
    private final @Nullable ListingEnd listingEnd;
    private final Duration delay;
    private final @Nullable Consumer<Invocation> hook;

    /**
     * One call that is about to be made.
     *
     * @param call which one
     * @param descriptor the descriptor or directory it is made on, the first where there are two;
     *        {@link LinuxConstants#AT_FDCWD} for a call that gets only a path
     * @param names the names it is about, one or two; see {@link Fault#named(ByteString)}
     */
    public record Invocation(Call call, int descriptor, List<ByteString> names) {
        /** Makes an invocation. */
        public Invocation {
            names = List.copyOf(names);
        }
    }

    /** Where a listing ends: after so many entries, with an error or, when that is 0, as if it were complete. */
    record ListingEnd(int entries, int errno) {}

    private Fault(Set<Call> calls, @Nullable ByteString name, long first, long last, @Nullable Long result, long atMost,
            @Nullable ListingEnd listingEnd, Duration delay, @Nullable Consumer<Invocation> hook) {
        this.calls = calls;
        this.name = name;
        this.first = first;
        this.last = last;
        this.result = result;
        this.atMost = atMost;
        this.listingEnd = listingEnd;
        this.delay = delay;
        this.hook = hook;
    }

    /** Starts a rule for the calls named. */
    public static Fault on(Call call, Call... more) {
        EnumSet<Call> calls = EnumSet.of(call, more);
        return new Fault(calls, null, 1, Long.MAX_VALUE, null, Long.MAX_VALUE, null, Duration.ZERO, null);
    }

    /** Starts a rule for every call. */
    public static Fault onAny() {
        return on(Call.OPENAT, Call.values());
    }

    /**
     * Meets only calls about an entry of this name, whatever directory it is in: the last name of the path that the
     * call gets, of either path where it gets two. A call on a descriptor counts under the name by which that was
     * opened; a file opened with O_TMPFILE has the empty name.
     */
    public Fault named(ByteString entryName) {
        return new Fault(calls, entryName, first, last, result, atMost, listingEnd, delay, hook);
    }

    /** Meets only calls about an entry of this name in UTF-8, as {@link #named(ByteString)}. */
    public Fault named(String entryName) {
        return named(ByteString.of(entryName));
    }

    /** Meets only the nth matching call, counted from 1. */
    public Fault nth(long n) {
        return between(n, n);
    }

    /** Meets every matching call from the nth on, counted from 1. */
    public Fault from(long n) {
        return between(n, Long.MAX_VALUE);
    }

    /** Meets only the first n matching calls, or after {@link #from} the first n of those. */
    public Fault times(long n) {
        return between(first, Math.addExact(first, n - 1));
    }

    private Fault between(long from, long to) {
        if (from < 1 || to < from) {
            throw new IllegalArgumentException("calls are counted from 1: " + from + " to " + to);
        }
        return new Fault(calls, name, from, to, result, atMost, listingEnd, delay, hook);
    }

    /** Lets the call fail with the error number. It is not made, but for close, which closes first. */
    public Fault fails(int errno) {
        if (errno <= 0) {
            throw new IllegalArgumentException("not an error number: " + errno);
        }
        return returns(-errno);
    }

    /** Returns the number instead of making the call: 0 from a read looks like the end of the file. */
    public Fault returns(long number) {
        return new Fault(calls, name, first, last, number, atMost, listingEnd, delay, hook);
    }

    /**
     * Lets reads, writes and copies of ranges move at most so many bytes, and listings fill at most so many (too few
     * for the next entry is EINVAL).
     */
    public Fault atMost(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at least one byte: " + bytes);
        }
        return new Fault(calls, name, first, last, result, bytes, listingEnd, delay, hook);
    }

    /**
     * Lets listings end after so many entries ({@code .} and {@code ..} do not count): with the error number, or with 0
     * as if the directory held no more.
     */
    public Fault endsListing(int entries, int errno) {
        if (entries < 0 || errno < 0) {
            throw new IllegalArgumentException("entries " + entries + ", error number " + errno);
        }
        return new Fault(calls, name, first, last, result, atMost, new ListingEnd(entries, errno), delay, hook);
    }

    /** Waits before the call. */
    public Fault delays(Duration time) {
        return new Fault(calls, name, first, last, result, atMost, listingEnd, time, hook);
    }

    /**
     * Runs the action before the call, in the calling thread: to change the tree at that moment, to note what is
     * called. Calls that it makes should go to the calls beneath, or they meet the rules themselves.
     */
    public Fault runs(Consumer<Invocation> action) {
        return new Fault(calls, name, first, last, result, atMost, listingEnd, delay, action);
    }

    boolean matches(Invocation invocation) {
        return calls.contains(invocation.call()) && (name == null || invocation.names().contains(name));
    }

    boolean meets(long number) {
        return first <= number && number <= last;
    }

    OptionalLong result() {
        return result == null ? OptionalLong.empty() : OptionalLong.of(result);
    }

    long limit() {
        return atMost;
    }

    @Nullable ListingEnd listingEnd() {
        return listingEnd;
    }

    Duration delay() {
        return delay;
    }

    void runHook(Invocation invocation) {
        if (hook != null) {
            hook.accept(invocation);
        }
    }

    @Override
    public String toString() {
        List<Object> parts = Arrays.asList(calls.size() == Call.values().length ? "any call" : calls,
                name == null ? "" : "named '" + name + "'", first == 1 ? "" : "from " + first,
                last == Long.MAX_VALUE ? "" : "to " + last, effects());
        return String.join(" ", parts.stream().map(Object::toString).filter(part -> !part.isEmpty()).toList());
    }

    private String effects() {
        StringBuilder text = new StringBuilder();
        if (result != null) {
            text.append(result < 0 ? "fails: " + Errno.describe((int) -result) : "returns " + result);
        }
        if (atMost != Long.MAX_VALUE) {
            text.append(" at most ").append(atMost).append(" bytes");
        }
        if (listingEnd != null) {
            text.append(' ').append(listingEnd);
        }
        if (!delay.isZero()) {
            text.append(" after ").append(delay);
        }
        return text.append(hook == null ? "" : " with an action").toString().strip();
    }
}
