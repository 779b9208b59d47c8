// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.function.LongSupplier;

import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.InterceptedCalls;

/** Finds the names below one directory in upper and lower case, and lists them as they were made. */
final class LooseNames extends InterceptedCalls {

    private final Path place;

    LooseNames(FileSystemCalls calls, Path place) {
        super(calls);
        this.place = place;
    }

    @Override
    protected long around(Call call, int descriptor, MemorySegment name, LongSupplier made) {
        return made.getAsLong();
    }

    @Override
    public int statx(int directory, MemorySegment name, int flags, int mask, MemorySegment result) {
        return calls.statx(directory, listed(directory, name), flags, mask, result);
    }

    @Override
    public int openat(int directory, MemorySegment name, int flags, int mode) {
        return calls.openat(directory, listed(directory, name), flags, mode);
    }

    @Override
    public int openat2(int directory, MemorySegment name, int flags, int mode, long resolve) {
        return calls.openat2(directory, listed(directory, name), flags, mode, resolve);
    }

    @SuppressWarnings("restricted")
    private MemorySegment listed(int directory, MemorySegment name) {
        String wanted = name.reinterpret(Long.MAX_VALUE).getString(0);
        if (directory < 0 || wanted.isEmpty() || wanted.contains("/")) {
            return name;
        }
        try {
            File at = Files.readSymbolicLink(Path.of("/proc/self/fd/" + directory)).toFile();
            if (at.toPath().startsWith(place) && !new File(at, wanted).exists()) {
                for (String other : Objects.requireNonNull(at.list())) {
                    if (other.equalsIgnoreCase(wanted)) {
                        return Arena.ofAuto().allocateFrom(other);
                    }
                }
            }
            return name;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
