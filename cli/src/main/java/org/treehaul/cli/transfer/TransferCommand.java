// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Function;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import org.treehaul.schedulers.discovery.Schedulers;
import picocli.CommandLine.Model.CommandSpec;

/** The common part of the commands for a single transfer. */
public abstract class TransferCommand implements Callable<Integer> {

    // Picocli only keeps the command until it calls it.
    @SuppressWarnings("this-escape")
    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    public final CommonOptions common;
    private String named = "";

    /** Begins the definition of a command that shows or changes the records of a transfer. */
    public TransferCommand(String name, String header) {
        this(name, header, CommonOptions::ofOneThread);
    }

    /** Begins the definition of a command with these common options. */
    public TransferCommand(String name, String header, Function<CommandSpec, CommonOptions> options) {
        common = options.apply(spec);
        spec.name(name);
        spec.usageMessage().header(header);
        Options.add(spec, Options.operand(String.class, value -> named = value), "ID",
                "A transfer: its id, the end of its id, or 'last'.");
    }

    public String named() {
        return named;
    }

    @Override
    public final Integer call() throws Exception {
        try {
            return run().code();
        } catch (SchedulerException e) {
            common.screen().error(String.valueOf(e.getMessage()));
            return ExitCode.TROUBLE.code();
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
    }

    /** Runs the command. */
    public abstract ExitCode run() throws IOException, SchedulerException, InterruptedException;

    /** Ignores damaged records of jobs, because the user knows that none of these jobs is left. */
    public void putDamagedJobsAside(TransferDirectory transfer) throws IOException {
        for (Path file : transfer.putDamagedJobsAside()) {
            common.screen().note(file + " is damaged and ignored: its jobs are assumed to be gone");
        }
    }

    /** Returns the jobs of a transfer. */
    public static TransferJobs jobs(TransferDirectory transfer) {
        return TransferJobs.of(transfer, name -> Schedulers.named(name, System.getenv()));
    }
}
