// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.io.IOException;
import java.io.UncheckedIOException;
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
 * A rule of {@link FaultInjectingCalls}: selects calls, and among these certain ones by number, and defines their
 * effect. Immutable; each method returns a changed copy. A rule without numbers applies to every matching call. <pre>
 * Fault.on(Call.WRITE).named("big").nth(3).fails(Errno.ENOSPC)
 * Fault.on(Call.READ, Call.PREAD).atMost(100)
 * Fault.onAny().delays(Duration.ofMillis(2))
 * Fault.on(Call.GETDENTS64).named("dir").endsListing(5, Errno.EIO)
 * </pre>
 */
public final class Fault {

    /** Work before a call. */
    @FunctionalInterface
    public interface Action {
        void run(Invocation call) throws IOException;
    }

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
     * A call that is about to be made.
     *
     * @param call the method
     * @param descriptor the descriptor or directory of the call, the first if there are two;
     *        {@link LinuxConstants#AT_FDCWD} for a call with only a path
     * @param names the names of the entries concerned, one or two; see {@link Fault#named(ByteString)}
     */
    public record Invocation(Call call, int descriptor, List<ByteString> names) {
        public Invocation {
            names = List.copyOf(names);
        }
    }

    /** Ends a listing after a number of entries with an error or, if that is 0, as if the listing were complete. */
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

    /** Returns a rule for the given calls. */
    public static Fault on(Call call, Call... more) {
        EnumSet<Call> calls = EnumSet.of(call, more);
        return new Fault(calls, null, 1, Long.MAX_VALUE, null, Long.MAX_VALUE, null, Duration.ZERO, null);
    }

    /** Returns a rule for every call. */
    public static Fault onAny() {
        return on(Call.OPENAT, Call.values());
    }

    /**
     * Restricts the rule to calls on an entry with this name in any directory: the last name of a path of the call, of
     * either path if it has two. For a descriptor, the name by which it was opened counts; a file opened with O_TMPFILE
     * has the empty name.
     */
    public Fault named(ByteString entryName) {
        return new Fault(calls, entryName, first, last, result, atMost, listingEnd, delay, hook);
    }

    /** Restricts the rule to calls on an entry with this name in UTF-8, like {@link #named(ByteString)}. */
    public Fault named(String entryName) {
        return named(ByteString.of(entryName));
    }

    /** Restricts the rule to the nth matching call, counted from 1. */
    public Fault nth(long n) {
        return between(n, n);
    }

    /** Restricts the rule to the nth and later matching calls, counted from 1. */
    public Fault from(long n) {
        return between(n, Long.MAX_VALUE);
    }

    /** Restricts the rule to the first n matching calls, or after {@link #from} to the first n of those. */
    public Fault times(long n) {
        return between(first, Math.addExact(first, n - 1));
    }

    private Fault between(long from, long to) {
        if (from < 1 || to < from) {
            throw new IllegalArgumentException("calls are counted from 1: " + from + " to " + to);
        }
        return new Fault(calls, name, from, to, result, atMost, listingEnd, delay, hook);
    }

    /** Makes the call fail with the error number. The call is not made, except close, which closes first. */
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
     * Limits the bytes that reads, writes and range copies move and that listings fill (EINVAL if the next entry does
     * not fit).
     */
    public Fault atMost(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at least one byte: " + bytes);
        }
        return new Fault(calls, name, first, last, result, bytes, listingEnd, delay, hook);
    }

    /**
     * Ends listings after this number of entries, not counting {@code .} and {@code ..}: with the error number, or if
     * it is 0, as if the directory contained no more.
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
     * Runs the action before the call, in the calling thread: to change the tree at that moment, or to record the call.
     * Calls that the action makes should go to the underlying calls, or the rules apply to them too.
     */
    public Fault runs(Action action) {
        return new Fault(calls, name, first, last, result, atMost, listingEnd, delay, call -> {
            try {
                action.run(call);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
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
