// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.walk.listing.DirectoryRecords;

/** Measures reading one record of a directory listing: length, kind, name, and whether it is "." or "..". */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class ListingBenchmark {

    private static final int RECORDS = 4096;

    private final MemorySegment listing = Arena.ofAuto().allocate(RECORDS * 40L, 8);
    private final byte[] copied = new byte[RECORDS * 40];
    private long end;

    /** Fills the listing like the kernel. */
    @Setup
    public void fill() {
        for (int i = 0; i < RECORDS; i++) {
            byte[] name = ("file-" + i % 10_000 + (i % 3 == 0 ? ".data" : "")).getBytes(StandardCharsets.US_ASCII);
            int length = (DirectoryRecords.NAME + name.length + 1 + 7) / 8 * 8;
            listing.set(ValueLayout.JAVA_LONG_UNALIGNED, end, i);
            listing.set(ValueLayout.JAVA_SHORT_UNALIGNED, end + 16, (short) length);
            listing.set(ValueLayout.JAVA_BYTE, end + DirectoryRecords.TYPE, (byte) 8);
            MemorySegment.copy(name, 0, listing, ValueLayout.JAVA_BYTE, end + DirectoryRecords.NAME, name.length);
            end += length;
        }
        MemorySegment.copy(listing, ValueLayout.JAVA_BYTE, 0, copied, 0, (int) end);
    }

    /** Reads the records where getdents64(2) wrote them. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long inPlace() {
        long sum = 0;
        for (long at = 0; at < end; at += DirectoryRecords.length(listing, at)) {
            if (!DirectoryRecords.isDots(listing, at) && DirectoryRecords.kind(listing, at) != EntryKind.DIRECTORY) {
                sum += DirectoryRecords.nameLength(listing, at) + DirectoryRecords.inode(listing, at);
            }
        }
        return sum;
    }

    /** Reads the records after a copy to the heap. */
    @Benchmark
    @OperationsPerInvocation(RECORDS)
    public long onHeap() {
        long sum = 0;
        for (int at = 0; at < end; at += DirectoryRecords.length(copied, at)) {
            if (!DirectoryRecords.isDots(copied, at)
                    && DirectoryRecords.kind(copied[at + DirectoryRecords.TYPE]) != EntryKind.DIRECTORY) {
                sum += DirectoryRecords.nameLength(copied, at) + DirectoryRecords.inode(copied, at);
            }
        }
        return sum;
    }
}
