// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;

/** The functions of libxxhash.so.0 that compute the 128-bit XXH3 hash, see xxhash.h of version 0.8.0. */
final class XxHashLibrary {

    /** The file, or a name that dlopen(3) searches; nothing if the library must not be used. */
    static final String FILE_PROPERTY = "treehaul.xxhash";

    private static final String NAME = "libxxhash.so.0";

    // The first version whose XXH3 is the final one: major * 10000 + minor * 100 + release.
    private static final int OLDEST = 800;
    private static final int RTLD_NOW = 2; // dlfcn.h, of glibc and musl

    // The lengths at which the function changes its way, and one of many blocks. The expected value is the hash of their
    // hashes, added one after another.
    static final int[] LENGTHS = {0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 1023, 1025, 1 << 20};
    private static final int PERIOD = 251;
    static final String EXPECTED = "31a969483ba40b0cbfdc5187445add76";

    final MemorySegment whole;
    final MemorySegment create;
    final MemorySegment free;
    final MemorySegment reset;
    final MemorySegment update;
    final MemorySegment digest;

    private XxHashLibrary(long library) {
        this.whole = Symbols.function(library, "XXH3_128bits");
        this.create = Symbols.function(library, "XXH3_createState");
        this.free = Symbols.function(library, "XXH3_freeState");
        this.reset = Symbols.function(library, "XXH3_128bits_reset");
        this.update = Symbols.function(library, "XXH3_128bits_update");
        this.digest = Symbols.function(library, "XXH3_128bits_digest");
    }

    /** The outcome of loading the library, which is tried once. */
    static final class Loaded {
        static final @Nullable XxHashLibrary LIBRARY;
        static final @Nullable String PROBLEM;

        static {
            XxHashLibrary library = null;
            String problem = null;
            try {
                library = load(System.getProperty(FILE_PROPERTY, NAME));
            } catch (LinkageError | RuntimeException failure) {
                Throwable cause = failure instanceof ExceptionInInitializerError && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
                problem = cause instanceof UnsatisfiedLinkError ? cause.getMessage() : cause.toString();
            }
            LIBRARY = library;
            PROBLEM = problem;
        }

        private Loaded() {}
    }

    /**
     * Loads a library, which stays loaded if it is the right one, and computes some hashes with it.
     *
     * @throws UnsatisfiedLinkError if there is none, it lacks a function, is too old or computes other hashes
     */
    static XxHashLibrary load(String file) {
        if (file.isEmpty()) {
            throw new UnsatisfiedLinkError("switched off by the property " + FILE_PROPERTY);
        }
        long library = open(file);
        if (library == 0) {
            throw new UnsatisfiedLinkError(file + " cannot be loaded");
        }
        int version = (int) Downcalls.callRaw(Symbols.function(library, "XXH_versionNumber"), 0, 0, 0, 0);
        if (version < OLDEST) {
            throw new UnsatisfiedLinkError(file + " is older than 0.8.0");
        }
        XxHashLibrary loaded = new XxHashLibrary(library);
        String found = loaded.test();
        if (!found.equals(EXPECTED)) {
            throw new UnsatisfiedLinkError(file + " computes other hashes");
        }
        return loaded;
    }

    private static long open(String file) {
        MemorySegment dlopen = Symbols.function("dlopen");
        try (Arena arena = Arena.ofConfined()) {
            ByteString name = ByteString.of(file);
            MemorySegment text = FileAccess.put(arena.allocate(name.length() + 1L), name);
            return Downcalls.callRaw(dlopen, text.address(), RTLD_NOW, 0, 0);
        }
    }

    private String test() {
        LinuxXxh3 hash = new LinuxXxh3(this);
        int largest = LENGTHS[LENGTHS.length - 1];
        byte[] hashes = new byte[LENGTHS.length * LinuxXxh3.BYTES];
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(largest);
            byte[] period = new byte[PERIOD];
            for (int i = 0; i < PERIOD; i++) {
                period[i] = (byte) i;
            }
            data.asByteBuffer().put(period);
            for (long filled = PERIOD; filled < largest; filled *= 2) {
                long more = Math.min(filled, largest - filled);
                data.asByteBuffer().put((int) filled, data.asSlice(0, more).asByteBuffer(), 0, (int) more);
            }
            for (int i = 0; i < LENGTHS.length; i++) {
                System.arraycopy(hash.of(data.asSlice(0, LENGTHS[i])), 0, hashes, i * LinuxXxh3.BYTES, LinuxXxh3.BYTES);
            }
            for (int i = 0; i < hashes.length; i += PERIOD) {
                // In portions, because a running hash has code of its own.
                int length = Math.min(PERIOD, hashes.length - i);
                MemorySegment portion = data.asSlice(i, length);
                portion.asByteBuffer().put(hashes, i, length);
                hash.update(portion);
            }
            return HexFormat.of().formatHex(hash.finish());
        }
    }
}
