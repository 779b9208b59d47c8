// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.treehaul.core.copy.data.DataHash;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.fs.FileAccess;

/**
 * Measures how fast {@code --verify} hashes one buffer of a file, and a file of 4 KiB. The score times 262,144 or 4,096
 * is the number of bytes per second.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class HashBenchmark {

    /** The hash to measure. */
    @Param({"XXH3", "SHA256"})
    public CopyOptions.Verify kind = CopyOptions.Verify.XXH3;

    private final MemorySegment buffer = Arena.ofAuto().allocate(FileAccess.BUFFER_BYTES, 8);
    private final MemorySegment small = buffer.asSlice(0, 4096);
    private DataHash hash = hash();

    /** Fills the buffer with random bytes. */
    @Setup
    public void fill() {
        byte[] noise = new byte[FileAccess.BUFFER_BYTES];
        new Random(1).nextBytes(noise);
        MemorySegment.copy(noise, 0, buffer, ValueLayout.JAVA_BYTE, 0, noise.length);
        hash = hash();
    }

    private DataHash hash() {
        return Objects.requireNonNull(DataHash.of(kind));
    }

    /** Hashes a full buffer. */
    @Benchmark
    public byte[] buffer() {
        hash.update(buffer);
        return hash.finish();
    }

    /** Hashes a small file. */
    @Benchmark
    public byte[] smallFile() {
        hash.update(small);
        return hash.finish();
    }
}
