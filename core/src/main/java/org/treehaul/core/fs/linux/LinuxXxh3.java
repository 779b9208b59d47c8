// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static org.treehaul.core.fs.linux.Downcalls.address;
import static org.treehaul.core.fs.linux.Downcalls.kept;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.annotation.Internal;

/**
 * The 128-bit XXH3 hash of data in native memory by the library libxxhash of this machine, if it has one. That library
 * is as fast at the first call as at any later one, without the optimizing compiler of the JVM. Not safe for several
 * threads.
 */
@Internal
public final class LinuxXxh3 {

    /** Bytes of a hash; the least significant one is the first. */
    public static final int BYTES = 16;

    private final XxHashLibrary library;
    private final Room room = new Room(Arena.ofAuto().allocate(BYTES, Long.BYTES));
    private final ByteBuffer result = room.memory.asByteBuffer();

    // Made for the first data that are not hashed as a whole.
    private @Nullable MemorySegment state;

    LinuxXxh3(XxHashLibrary library) {
        this.library = library;
    }

    /**
     * Creates a hash.
     *
     * @throws IllegalStateException if the library cannot be used, see {@link #problem}
     */
    public LinuxXxh3() {
        XxHashLibrary loaded = XxHashLibrary.Loaded.LIBRARY;
        if (loaded == null) {
            throw new IllegalStateException(XxHashLibrary.Loaded.PROBLEM);
        }
        this.library = loaded;
    }

    /** Returns why the library cannot be used: it is missing, older than 0.8.0 or wrong; empty if it can. */
    public static Optional<String> problem() {
        return Optional.ofNullable(XxHashLibrary.Loaded.PROBLEM);
    }

    /** Returns the hash of these data alone, without those added before. */
    public byte[] of(MemorySegment data) {
        Downcalls.callPair(library.whole, room, address(data), data.byteSize());
        kept(0, data);
        return value();
    }

    /** Adds data. */
    public void update(MemorySegment data) {
        if (data.byteSize() > 0) {
            MemorySegment begun = begun();
            long failed = Downcalls.callRaw(library.update, begun.address(), address(data), data.byteSize(), 0);
            check(kept(kept((int) failed, data), begun));
        }
    }

    /** Returns the hash of the data added since the last call, and starts anew. */
    public byte[] finish() {
        MemorySegment begun = begun();
        Downcalls.callPair(library.digest, room, begun.address(), 0);
        reset(begun);
        return value();
    }

    /** Discards the data added so far. */
    public void reset() {
        MemorySegment known = state;
        if (known != null) {
            reset(known);
        }
    }

    private void reset(MemorySegment begun) {
        check(kept((int) Downcalls.callRaw(library.reset, begun.address(), 0, 0, 0), begun));
    }

    private MemorySegment begun() {
        MemorySegment known = state;
        if (known == null) {
            known = create();
            reset(known);
            state = known;
        }
        return known;
    }

    @SuppressWarnings("restricted") // native access is granted for this package
    private MemorySegment create() {
        long made = Downcalls.callRaw(library.create, 0, 0, 0, 0);
        if (made == 0) {
            throw new OutOfMemoryError("no memory for the state of a hash");
        }
        return MemorySegment.ofAddress(made).reinterpret(Arena.ofAuto(), new Free(library.free));
    }

    private byte[] value() {
        byte[] value = new byte[BYTES];
        result.get(0, value);
        return value;
    }

    private static void check(int failed) {
        if (failed != 0) {
            throw new IllegalStateException("libxxhash refused a call");
        }
    }

    /** The memory of a result, which the JVM asks for in each call. */
    private record Room(MemorySegment memory) implements SegmentAllocator {
        @Override
        public MemorySegment allocate(long bytes, long alignment) {
            return memory;
        }
    }

    /** Frees a state once, when the JVM has found that it cannot be reached. */
    private record Free(MemorySegment function) implements Consumer<MemorySegment> {
        @Override
        public void accept(MemorySegment state) {
            Downcalls.callRaw(function, state.address(), 0, 0, 0);
        }
    }
}
