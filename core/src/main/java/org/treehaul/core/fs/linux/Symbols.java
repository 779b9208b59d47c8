// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs.linux;

import static java.lang.foreign.MemorySegment.NULL;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileAccess;

/**
 * Finds functions of the C library like dlsym(3) with RTLD_DEFAULT, which searches preloaded libraries first: fakeroot
 * and the interceptors of burst buffers and profilers rely on that. {@link Linker#defaultLookup} bypasses them and
 * searches the C library itself, so it is used only to find dlsym.
 */
final class Symbols {

    private static final long RTLD_DEFAULT = 0; // dlfcn.h, of glibc and musl

    private static final MemorySegment DLSYM = Linker.nativeLinker().defaultLookup().findOrThrow("dlsym");

    private Symbols() {}

    /**
     * Returns the address of a function.
     *
     * @throws UnsatisfiedLinkError if the C library has no such function
     */
    static MemorySegment function(String name) {
        MemorySegment found = functionOrNull(name);
        if (found == null) {
            throw new UnsatisfiedLinkError("the C library has no function " + name);
        }
        return found;
    }

    /**
     * Returns the address of a function of a library that dlopen(3) has loaded.
     *
     * @throws UnsatisfiedLinkError if it has no such function
     */
    static MemorySegment function(long library, String name) {
        MemorySegment found = functionOrNull(library, name);
        if (found == null) {
            throw new UnsatisfiedLinkError("the library has no function " + name);
        }
        return found;
    }

    /** Returns the address of a function, or null if the C library has no such function. */
    static @Nullable MemorySegment functionOrNull(String name) {
        return functionOrNull(RTLD_DEFAULT, name);
    }

    private static @Nullable MemorySegment functionOrNull(long library, String name) {
        try (Arena arena = Arena.ofConfined()) {
            // No allocateFrom, for which the JVM makes seven classes at each start.
            MemorySegment symbol = FileAccess.put(arena.allocate(name.length() + 1L), ByteString.of(name));
            long address = Downcalls.callRaw(DLSYM, library, symbol.address(), 0, 0);
            return address == NULL.address() ? null : MemorySegment.ofAddress(address);
        }
    }
}
