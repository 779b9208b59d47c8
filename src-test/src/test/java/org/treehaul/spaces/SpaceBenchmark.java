// SPDX-License-Identifier: Apache-2.0
package org.treehaul.spaces;

import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** Single operations of the tuple space and its rivals, on 100,000 tuples: each taken tuple is written again. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
        value = 1,
        jvmArgsAppend = {"--enable-native-access=ALL-UNNAMED", "-Xmx2g", "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
                "--add-opens=java.base/java.text=ALL-UNNAMED", "--add-opens=java.desktop/java.awt.font=ALL-UNNAMED"})
public class SpaceBenchmark {
    private static final int TUPLES = 100_000;

    /** Which of them. */
    @Param({"treehaul", "outrigger", "semispace", "hazelcast"})
    public String rival = "treehaul";

    private @Nullable Rival space;
    private int next;

    /** Fills it. */
    @Setup(Level.Trial)
    public void open() throws Exception {
        Rival opened = Rival.open(rival);
        for (int i = 0; i < TUPLES; i++) {
            opened.write(i);
        }
        space = opened;
    }

    /** Ends it. */
    @TearDown(Level.Trial)
    public void close() throws Exception {
        opened().close();
    }

    private Rival opened() {
        Rival found = space;
        if (found == null) {
            throw new IllegalStateException("not open");
        }
        return found;
    }

    /** No item twice in a row. */
    private int number() {
        next = (next + 7919) % TUPLES;
        return next;
    }

    /** By its unique number. */
    @Benchmark
    public boolean readByNumber() throws Exception {
        return opened().read(number());
    }

    /** By two fields that many have. */
    @Benchmark
    public boolean readByOwnerAndKind() throws Exception {
        int like = number();
        return opened().readAny(Items.ownerOf(like), Items.kindOf(like));
    }

    /** Takes one and writes it again. */
    @Benchmark
    public boolean takeAndWrite() throws Exception {
        int number = number();
        boolean isTaken = opened().take(number);
        opened().write(number);
        return isTaken;
    }

    /** Searches all tuples for one that does not exist. */
    @Benchmark
    public boolean scan() throws Exception {
        return opened().scan(-1);
    }
}
