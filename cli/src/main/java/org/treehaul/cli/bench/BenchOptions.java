// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.IntConsumer;
import java.util.stream.Collectors;

import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.ExactArguments;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.PageSize;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;

/** The options and operands of {@code treehaul bench io}, with the parameters of Yang's benchmark. */
final class BenchOptions {

    private static final int MOST_THREADS = 64;
    private static final int MOST_FILES = 1_000_000;
    private static final int MOST_DEPTH = 500; // for 64 threads, what a ring takes

    private final CommandSpec command;
    private final CommonOptions common;
    private int clients = 1;
    private int threads = 1;
    private int files = 5;
    private int blocks = 100;
    private ByteSize blockBytes = new ByteSize(64 << 10);
    private int repeats = 3;
    private int depth = 16;
    private String ways = "";
    private boolean isDirect;
    private boolean isCold;
    private boolean isDurable;
    private boolean isCsv;
    private final BenchStage stage;

    /** Adds the options to a command. */
    BenchOptions(CommandSpec command, CommonOptions common) {
        this.command = command;
        this.common = common;
        number("--clients", "Number of clients, each with its own asynchronous files, from 1 to 64. Default: 1.",
                value -> clients = value);
        number("--per-client", "Number of threads of each client, from 1 to 64. Default: 1.", value -> threads = value);
        number("--files", "Number of files of each thread. Default: 5.", value -> files = value);
        number("--blocks", "Number of blocks of each file. Default: 100.", value -> blocks = value);
        Options.add(command, Options.value(ByteSize.class, value -> blockBytes = value, "--block-bytes"), "SIZE",
                "Size of a block, up to 1G. Default: 64K.");
        number("--depth",
                "Number of blocks that a thread reads or writes at the same time, if asynchronously. Default: 16.",
                value -> depth = value);
        Options.add(command, Options.value(String.class, value -> ways = value, "--way"), "LIST",
                "Some of sync, threads, ring, and of a stage stage-sync, stage-threads and stage-servers. Default: all "
                        + "that this kernel allows, or with --stage the last three.");
        number("--repeats", "Number of runs; the ways take turns. Default: 3.", value -> repeats = value);
        Options.add(command, Options.flag(value -> isDirect = value, "--direct"),
                "Bypass the page cache. The size of a block must be a multiple of the page: 4096, on some ARM kernels 64K.");
        Options.add(command, Options.flag(value -> isCold = value, "--cold"),
                "Make the page cache forget the files before each run that reads.");
        Options.add(command, Options.flag(value -> isDurable = value, "--durable"),
                "Write each file to the disk before it is closed.");
        Options.add(command, Options.flag(value -> isCsv = value, "--csv"),
                "Print a line for each run, with commas between the values.");
        stage = new BenchStage(command, common);
    }

    BenchStage stage() {
        return stage;
    }

    private void number(String name, String text, IntConsumer setter) {
        Options.add(command, Options.value(Integer.class, setter::accept, name), "N", text);
    }

    /** Returns the directory among the operands; empty if there is only a stage. */
    Optional<ByteString> place(List<ByteString> operands) {
        if (operands.size() != 3 && (operands.size() != 2 || !stage.isGiven())
                || !operands.getFirst().equals(ByteString.of("io"))
                || !isWrite(operands) && !operands.get(1).equals(ByteString.of("read"))) {
            throw common.usage("use 'treehaul bench io read DIR' or 'treehaul bench io write DIR', or --stage for DIR");
        }
        if (operands.size() == 3 && operands.get(2).length() == 0) {
            throw common.usage("DIR is empty; use '.' for the working directory");
        }
        stage.check();
        if (isCsv && common.json) {
            throw common.usage("--csv and --json do not combine: give one of them");
        }
        return operands.size() == 3 ? Optional.of(operands.get(2)) : Optional.empty();
    }

    private static boolean isWrite(List<ByteString> operands) {
        return operands.get(1).equals(ByteString.of("write"));
    }

    /**
     * Returns why blocks of a size cannot be direct: a part of a page would go through the page cache.
     *
     * @param unit the bytes of which a direct block is a multiple
     */
    static Optional<String> problemOfDirect(long bytes, int unit) {
        return bytes % unit == 0
                ? Optional.empty()
                : Optional.of("--direct needs a multiple of " + unit + " as --block-bytes, not " + bytes);
    }

    /** Returns the parameters. */
    IoParameters parameters(List<ByteString> operands) {
        common.checkBetween("--clients", 1, MOST_THREADS, clients);
        common.checkBetween("--per-client", 1, MOST_THREADS, threads);
        common.checkBetween("--files", 1, MOST_FILES, files);
        common.checkBetween("--blocks", 1, Integer.MAX_VALUE, blocks);
        common.checkBetween("--block-bytes", 1, 1 << 30, blockBytes.bytes());
        common.checkBetween("--depth", 1, MOST_DEPTH, depth);
        common.checkBetween("--repeats", 1, MOST_FILES, repeats);
        if (isDirect) {
            problemOfDirect(blockBytes.bytes(), Math.max(IoBuffer.ALIGNMENT, PageSize.BYTES)).ifPresent(problem -> {
                throw common.usage(problem);
            });
        }
        IoParameters parameters = new IoParameters(clients, threads, isWrite(operands), files, blocks,
                (int) blockBytes.bytes(), depth, isDirect, isCold, isDurable);
        long most = Runtime.getRuntime().maxMemory() / 2;
        if (parameters.bufferBytes() > most) {
            throw common.usage("the buffers would need " + parameters.bufferBytes() + " bytes, more than " + most
                    + ": give a smaller --depth or --block-bytes, or a larger -Xmx in JDK_JAVA_OPTIONS");
        }
        checkSize(parameters);
        return parameters;
    }

    private void checkSize(IoParameters parameters) {
        try {
            parameters.bytes();
        } catch (ArithmeticException e) {
            throw common.usage("a run would have more than 8 EiB: give a smaller --files, --blocks or --block-bytes");
        }
    }

    /** Returns the ways in the order of the lines. */
    List<IoWay> ways(List<ByteString> operands) {
        Optional<String> problem = AsyncFiles.ringProblem();
        boolean hasPlace = operands.size() == 3;
        List<IoWay> possible = Arrays.stream(IoWay.values())
                .filter(way -> way.isStage() ? stage.isGiven() : hasPlace && (way != IoWay.RING || problem.isEmpty()))
                .toList();
        if (ways.isEmpty()) {
            checkStage(possible);
            return possible;
        }
        List<IoWay> named = Arrays.stream(ways.split(",", -1)).map(this::way).distinct().toList();
        for (IoWay way : named) {
            if (!possible.contains(way)) {
                throw common.usage("--way " + way.label() + " is not possible: "
                        + (way.isStage()
                                ? "give --stage NAME:[PATH]"
                                : hasPlace ? problem.orElse("") : "give the directory DIR"));
            }
        }
        checkStage(named);
        return named;
    }

    private void checkStage(List<IoWay> all) {
        if ((isDirect || isCold) && all.stream().anyMatch(IoWay::isStage)) {
            throw common.usage("--direct and --cold do not apply to the files of a stage");
        }
    }

    private IoWay way(String name) {
        return Arrays.stream(IoWay.values())
                .filter(way -> way.label().equals(name))
                .findAny()
                .orElseThrow(() -> common.usage("--way takes "
                        + Arrays.stream(IoWay.values()).map(IoWay::label).collect(Collectors.joining(", ")) + ", not '"
                        + ExactArguments.printable(name) + "'"));
    }

    int repeats() {
        return repeats;
    }

    boolean isCsv() {
        return isCsv;
    }
}
