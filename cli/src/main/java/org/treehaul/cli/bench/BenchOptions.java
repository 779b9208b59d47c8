// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.bench;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntConsumer;

import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.bench.IoParameters;
import org.treehaul.core.async.bench.IoWay;
import org.treehaul.core.entry.ByteString;
import picocli.CommandLine.Model.CommandSpec;

/** The options and operands of {@code treehaul bench io}, with the parameters of Yang's benchmark. */
final class BenchOptions {

    private static final int MOST_THREADS = 64;
    private static final int MOST_FILES = 1_000_000;
    private static final int MOST_DEPTH = 500; // for 64 threads, what a ring takes
    private static final String RING = "ring";

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
                "Some of sync, threads and ring. Default: all that this kernel allows.");
        number("--repeats", "Number of runs; the ways take turns. Default: 3.", value -> repeats = value);
        Options.add(command, Options.flag(value -> isDirect = value, "--direct"),
                "Bypass the page cache. The size of a block must be a multiple of 4096.");
        Options.add(command, Options.flag(value -> isCold = value, "--cold"),
                "Make the page cache forget the files before each run that reads.");
        Options.add(command, Options.flag(value -> isDurable = value, "--durable"),
                "Write each file to the disk before it is closed.");
        Options.add(command, Options.flag(value -> isCsv = value, "--csv"),
                "Print a line for each run, with commas between the values.");
    }

    private void number(String name, String text, IntConsumer setter) {
        Options.add(command, Options.value(Integer.class, setter::accept, name), "N", text);
    }

    /** Returns the directory among the operands. */
    ByteString place(List<ByteString> operands) {
        if (operands.size() != 3 || !operands.getFirst().equals(ByteString.of("io"))
                || !isWrite(operands) && !operands.get(1).equals(ByteString.of("read"))) {
            throw common.usage("use 'treehaul bench io read DIR' or 'treehaul bench io write DIR'");
        }
        return operands.get(2);
    }

    private static boolean isWrite(List<ByteString> operands) {
        return operands.get(1).equals(ByteString.of("write"));
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
        if (isDirect && blockBytes.bytes() % IoBuffer.ALIGNMENT != 0) {
            throw common.usage("--direct needs a multiple of 4096 as --block-bytes, not " + blockBytes.bytes());
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
    List<IoWay> ways() {
        Optional<String> problem = AsyncFiles.ringProblem();
        if (ways.isEmpty()) {
            return problem.isEmpty() ? List.of(IoWay.values()) : List.of(IoWay.SYNC, IoWay.THREADS);
        }
        List<String> named = Arrays.asList(ways.split(",", -1));
        for (String name : named) {
            if (!List.of("sync", "threads", RING).contains(name)) {
                throw common.usage("--way takes sync, threads and ring, not '" + name + "'");
            }
        }
        if (named.contains(RING) && problem.isPresent()) {
            throw common.usage("--way ring is not possible: " + problem.get());
        }
        return named.stream().map(name -> IoWay.valueOf(name.toUpperCase(Locale.ROOT))).distinct().toList();
    }

    int repeats() {
        return repeats;
    }

    boolean isCsv() {
        return isCsv;
    }
}
