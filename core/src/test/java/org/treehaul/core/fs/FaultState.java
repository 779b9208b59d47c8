// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;

/**
 * The state of {@link FaultInjectingCalls}: numbers of calls, open descriptors with their names, truncated listings.
 */
final class FaultState {

    private static final ByteString DOT = ByteString.of(".");

    // struct linux_dirent64 of linux/dirent.h: d_ino, d_off, d_reclen, d_type, d_name
    private static final long RECORD_LENGTH = 16;
    private static final long RECORD_NAME = 19;

    private final List<Fault> faults;
    private final AtomicLong[] matches;
    private final Consumer<Duration> sleeper;
    private final Map<Call, AtomicLong> counts = new EnumMap<>(Call.class);
    private final Map<Integer, ByteString> open = new ConcurrentHashMap<>();
    private final Map<Integer, AtomicInteger> listed = new ConcurrentHashMap<>();

    /** The combined effect of the rules on one call: a fixed result in its place, or limits on it. */
    record Verdict(boolean isFixed, long result, long limit, Fault.@Nullable ListingEnd listingEnd) {
        MemorySegment limited(MemorySegment buffer) {
            return limit < buffer.byteSize() ? buffer.asSlice(0, limit) : buffer;
        }
    }

    FaultState(List<Fault> faults, Consumer<Duration> sleeper) {
        this.faults = List.copyOf(faults);
        this.sleeper = sleeper;
        this.matches = new AtomicLong[this.faults.size()];
        for (int i = 0; i < matches.length; i++) {
            matches[i] = new AtomicLong();
        }
        for (Call call : Call.values()) {
            counts.put(call, new AtomicLong());
        }
    }

    /** Counts the call, runs delays and actions, and returns the combined effect of the rules. */
    Verdict meet(Call call, int descriptor, List<ByteString> names) {
        counter(call).incrementAndGet();
        OptionalLong result = OptionalLong.empty();
        long limit = Long.MAX_VALUE;
        Fault.ListingEnd listingEnd = null;
        Fault.Invocation invocation = new Fault.Invocation(call, descriptor, names);
        for (int i = 0; i < matches.length; i++) {
            Fault fault = faults.get(i);
            if (!fault.matches(invocation) || !fault.meets(matches[i].incrementAndGet())) {
                continue;
            }
            if (!fault.delay().isZero()) {
                sleeper.accept(fault.delay());
            }
            fault.runHook(invocation);
            result = result.isPresent() ? result : fault.result();
            limit = Math.min(limit, fault.limit());
            listingEnd = listingEnd != null ? listingEnd : fault.listingEnd();
        }
        return new Verdict(result.isPresent(), result.orElse(0), limit, listingEnd);
    }

    /**
     * Returns the last name of a path, without trailing slashes. An empty path and {@code .} have the name of the
     * directory they are relative to; the root directory's name is its path.
     */
    ByteString name(int directory, MemorySegment path) {
        String text = path.equals(MemorySegment.NULL) ? "" : path.getString(0, StandardCharsets.ISO_8859_1);
        int end = text.length();
        while (end > 1 && text.charAt(end - 1) == '/') {
            end--;
        }
        String last = end == 1 ? text.substring(0, end) : text.substring(text.lastIndexOf('/', end - 1) + 1, end);
        if (text.matches("/proc/self/fd/[0-9]+")) {
            return name(Integer.parseInt(last));
        }
        return text.isEmpty() || text.equals(".")
                ? name(directory)
                : ByteString.of(last.getBytes(StandardCharsets.ISO_8859_1));
    }

    /** Returns the name by which a descriptor was opened; {@code .} if this object did not see it opened. */
    ByteString name(int descriptor) {
        return open.getOrDefault(descriptor, DOT);
    }

    /** Returns the name of the file to open: empty for an unnamed file, whose path is that of a directory. */
    ByteString nameToOpen(int directory, MemorySegment path, int flags) {
        boolean isUnnamed = (flags & LinuxConstants.O_TMPFILE) == LinuxConstants.O_TMPFILE;
        return isUnnamed ? ByteString.empty() : name(directory, path);
    }

    int opened(int descriptor, ByteString name) {
        if (descriptor >= 0) {
            open.put(descriptor, name);
        }
        return descriptor;
    }

    /**
     * Forgets a descriptor. Must be called before the close, because afterwards another thread may already have its
     * number.
     */
    void closing(int descriptor) {
        open.remove(descriptor);
        listed.remove(descriptor);
    }

    /** Returns how many entries a listing may still return. */
    int entriesLeft(int descriptor, Fault.ListingEnd end) {
        return end.entries() - listed.computeIfAbsent(descriptor, d -> new AtomicInteger()).get();
    }

    /** Returns the number of bytes in a filled buffer that hold at most the entries left, and counts these entries. */
    int cut(int descriptor, MemorySegment buffer, int filled, int entriesLeft) {
        int at = 0;
        int entries = 0;
        while (at < filled) {
            boolean isDots = buffer.get(JAVA_BYTE, at + RECORD_NAME) == '.'
                    && (buffer.get(JAVA_BYTE, at + RECORD_NAME + 1) == 0
                            || buffer.get(JAVA_BYTE, at + RECORD_NAME + 1) == '.'
                                    && buffer.get(JAVA_BYTE, at + RECORD_NAME + 2) == 0);
            if (!isDots && entries == entriesLeft) {
                break;
            }
            entries += isDots ? 0 : 1;
            at += Short.toUnsignedInt(buffer.get(JAVA_SHORT_UNALIGNED, at + RECORD_LENGTH));
        }
        listed.computeIfAbsent(descriptor, d -> new AtomicInteger()).addAndGet(entries);
        return at;
    }

    // The map is filled at construction and never changes.
    private AtomicLong counter(Call call) {
        return Objects.requireNonNull(counts.get(call));
    }

    long count(Call call) {
        return counter(call).get();
    }

    Map<Call, Long> counts() {
        Map<Call, Long> result = new EnumMap<>(Call.class);
        for (Call call : Call.values()) {
            if (count(call) > 0) {
                result.put(call, count(call));
            }
        }
        return result;
    }

    Map<Integer, ByteString> openDescriptors() {
        return new TreeMap<>(open);
    }
}
