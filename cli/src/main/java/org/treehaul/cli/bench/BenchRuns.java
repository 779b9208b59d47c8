// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.async.bench.BenchmarkDirectory;
import org.treehaul.core.async.bench.IoBenchmark;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;

/** The measurements of a command: of files in a directory, in a stage, or both. */
final class BenchRuns implements AutoCloseable {

    private final @Nullable BenchmarkDirectory directory;
    private final BenchStage.@Nullable Open stage;
    private final @Nullable IoBenchmark ofDirectory;
    private final @Nullable IoBenchmark ofStage;

    private BenchRuns(@Nullable BenchmarkDirectory directory, BenchStage.@Nullable Open stage, IoParameters parameters,
            BooleanSupplier isCancelled) {
        FileSystemCalls calls = Linux.calls();
        this.directory = directory;
        this.stage = stage;
        this.ofDirectory = directory == null ? null : new IoBenchmark(calls, directory, parameters, isCancelled);
        this.ofStage = stage == null ? null : stage.benchmark(calls, parameters, isCancelled);
    }

    /** Makes the directory of the files, and opens the stage. */
    static BenchRuns open(Optional<ByteString> place, IoParameters parameters, BenchStage stage,
            BooleanSupplier isCancelled) throws IOException {
        BenchStage.Open opened = stage.isGiven() ? stage.open(parameters, Linux.calls()) : null;
        try {
            BenchmarkDirectory directory = place.isEmpty()
                    ? null
                    : BenchmarkDirectory.in(Linux.calls(), place.get(), parameters);
            return new BenchRuns(directory, opened, parameters, isCancelled);
        } catch (IOException e) {
            if (opened != null) {
                opened.close();
            }
            throw e;
        }
    }

    private IoBenchmark of(IoWay way) {
        return Objects.requireNonNull(way.isStage() ? ofStage : ofDirectory);
    }

    /** Writes the files that runs of these ways read. */
    void prepare(List<IoWay> ways) throws IOException {
        for (IoBenchmark each : ways.stream().map(this::of).distinct().toList()) {
            each.prepare();
        }
    }

    /** Does one run; returns its nanoseconds. */
    long run(IoWay way) throws IOException {
        return of(way).run(way);
    }

    @Override
    public void close() throws IOException {
        try (directory; stage) {
            // Each is closed, also after a failure of the other.
        }
    }
}
