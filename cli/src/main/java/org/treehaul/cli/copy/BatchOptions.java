// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.copy;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.ByteSize;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.UsageException;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.strategies.Strategies;
import picocli.CommandLine.Model.CommandSpec;

/** The options that define how entries are divided into batches, and which checks planning makes. */
public final class BatchOptions {

    private static final long STREAMED_FILES = 20_000;
    private static final long STREAMED_BYTES = 64L << 30;

    private final CommandSpec command;
    private String strategy = "size-balanced";
    private int batches;
    private long files;
    private @Nullable ByteSize bytes;
    private boolean noSpaceCheck;
    private Locality locality = Locality.auto;

    /** Whether the servers that store the data are asked for; the names of the constants are those of the values. */
    private enum Locality {
        auto,
        off
    }

    /** Adds the options to a command. */
    public BatchOptions(CommandSpec command) {
        this.command = command;
        Options.add(command, Options.value(String.class, value -> strategy = value, "--strategy"), "NAME",
                "Form batches by this strategy: size-balanced, directory-grouped, streaming, or one from another jar. "
                        + "Default: size-balanced.");
        Options.add(command, Options.value(Integer.class,
                value -> batches = (int) UsageException.fromOne(command, "--batches", BatchLimits.MAX_BATCHES, value),
                "--batches"), "M",
                "Divide the work into M batches, which the jobs take one by one. Default: 8 per job.");
        Options.add(command,
                Options.value(Long.class,
                        value -> files = UsageException.fromOne(command, "--batch-files", Long.MAX_VALUE, value),
                        "--batch-files"),
                "N", "Put at most N entries in a batch.");
        Options.add(command, Options.value(ByteSize.class, value -> bytes = value, "--batch-bytes"), "SIZE",
                "Put at most SIZE of data in a batch.");
        Options.add(command, Options.value(Locality.class, value -> locality = value, "--locality"), "WHEN",
                "Whether each batch has the data of one server, and workers begin with those of their own host: auto (where the file "
                        + "system names its servers), off. Default: auto.");
        Options.add(command, Options.flag(value -> noSpaceCheck = value, "--no-space-check"),
                "Continue even if the destination is too small for the planned data.");
    }

    /** Checks conditions that the option types cannot express. */
    public void check() {
        if (bytes != null && bytes.bytes() < 1) {
            throw usage("--batch-bytes must be 1 or more");
        }
        if (batching().isStreaming() && given("--batches")) {
            throw usage(
                    "--batches cannot be combined with a streaming strategy, whose number of batches is not known in advance; use "
                            + "--batch-files and --batch-bytes");
        }
    }

    /** Returns whether a copy that cannot fit into the destination is refused. */
    public boolean checksSpace() {
        return !noSpaceCheck;
    }

    /** Returns whether the servers that store the data are asked for. */
    public boolean byServers() {
        return locality == Locality.auto;
    }

    /** Returns whether a strategy of this name streams; not if there is none. */
    public static boolean isStreaming(String strategy) {
        try {
            return Strategies.named(strategy).isStreaming();
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private boolean given(String option) {
        return command.commandLine().getParseResult().hasMatchedOption(option);
    }

    private UsageException usage(String message) {
        return new UsageException(command.commandLine(), message);
    }

    public Batching batching() {
        try {
            return Strategies.named(strategy);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
    }

    /** Returns the most entries of a batch that the user wants; 0 if no number was given. */
    public long files() {
        return files;
    }

    /** Returns the limits for this number of jobs. */
    public BatchLimits limits(int jobs) {
        return limits(jobs, PlanRequest.BATCHES_PER_JOB);
    }

    /**
     * Returns the limits for a number of jobs.
     *
     * @param perJob the number of batches for each job, unless the user gives another number
     */
    public BatchLimits limits(int jobs, int perJob) {
        long maxBytes = bytes == null ? 0 : bytes.bytes();
        if (batching().isStreaming()) {
            boolean isLimited = files > 0 || maxBytes > 0;
            return new BatchLimits(0, isLimited ? files : STREAMED_FILES, isLimited ? maxBytes : STREAMED_BYTES);
        }
        int wanted = batches > 0 ? batches : (int) Math.min(BatchLimits.MAX_BATCHES, (long) jobs * perJob);
        return new BatchLimits(wanted, files, maxBytes);
    }
}
