// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.fs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.fs.linux.Linux;

/** Measures the cost of an entry's status: decoding the structure alone, the call alone, and both as in a walk. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class StatusBenchmark {

    private final FileSystemCalls calls = Linux.calls();
    private final FileAccess access = FileAccess.open(calls);
    private final MemorySegment name = Arena.ofAuto().allocateFrom("/dev");
    private final MemorySegment structure = Arena.ofAuto().allocate(LinuxConstants.STATX_SIZE, 8);
    private final StatxLayout layout = new StatxLayout();

    /** Fills the structure once. */
    @Setup
    public void fill() {
        call();
        structure.set(ValueLayout.JAVA_INT, 0, LinuxConstants.STATX_BASIC_STATS);
    }

    /** Releases the memory. */
    @TearDown
    public void close() {
        access.close();
    }

    /** Only decodes. */
    @Benchmark
    public FileStatus decode() {
        return layout.read(structure);
    }

    /** Only calls statx(2). */
    @Benchmark
    public int call() {
        return calls.statx(LinuxConstants.AT_FDCWD, name, LinuxConstants.AT_SYMLINK_NOFOLLOW,
                LinuxConstants.STATX_BASIC_STATS, structure);
    }

    /** Calls and decodes. */
    @Benchmark
    public FileStatus callAndDecode() throws SystemCallException {
        return access.status(LinuxConstants.AT_FDCWD, name);
    }
}
