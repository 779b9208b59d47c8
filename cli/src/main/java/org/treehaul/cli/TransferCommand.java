// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.core.transfer.StateDirectory;
import org.treehaul.core.transfer.TransferDirectory;
import org.treehaul.schedulers.Scheduler;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import picocli.CommandLine.Model.CommandSpec;

/** What the commands share that do something with one transfer. */
abstract class TransferCommand implements Callable<Integer> {

    final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    final CommonOptions common = new CommonOptions(spec);
    private String named = "";

    /** Begins to describe a command. */
    TransferCommand(String name, String header) {
        spec.name(name);
        spec.usageMessage().header(header);
        spec.addPositional(Options.operand(String.class, value -> named = value)
                .paramLabel("ID")
                .description("A transfer: its id, the end of that, or 'last'.")
                .build());
    }

    String named() {
        return named;
    }

    @Override
    public final Integer call() throws Exception {
        common.check();
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

    /** Does what the command is for. */
    abstract ExitCode run() throws IOException, SchedulerException, InterruptedException;

    /** Passes by damaged records of jobs, as the user knows that none of these is left. */
    void putDamagedJobsAside(TransferDirectory transfer) throws IOException {
        for (Path file : transfer.putDamagedJobsAside()) {
            common.screen().note(file + " is damaged and passed over: jobs that it told of are taken to be gone");
        }
    }

    /**
     * Takes jobs of a generation that is finished, and that have not begun, out of the queue; where the scheduler does
     * not do that, they end at once when they begin.
     */
    static void endWaiting(TransferDirectory transfer, int generation) {
        try {
            jobs(transfer).endWaiting(generation);
        } catch (SchedulerException | IOException e) {
            // On a node without the programs of the scheduler, for one. That a job waits for nothing harms no copy.
        }
    }

    /** Returns the jobs of a transfer. */
    static TransferJobs jobs(TransferDirectory transfer) {
        return TransferJobs.of(transfer, name -> Scheduler.named(name, System.getenv()));
    }
}
