// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;

import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Text;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.tuplespace.transfer.Publication;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul finish}: the command of a transfer's last job, run in the transfer's directory. */
public final class FinishCommand implements Callable<Integer> {

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private int generation;
    private boolean again;

    /** Defines the command for Picocli. */
    public FinishCommand() {
        spec.name("finish");
        spec.usageMessage()
                .hidden(true)
                .header("Finish the transfer in the working directory; run by its jobs.")
                .customSynopsis("treehaul finish --generation G [--again] [--threads N]")
                .footer("%nExit codes: 0 all copied, 2 nothing could be done, 20 stopped, 23 some entries failed or some batches are not "
                        + "done, 24 some vanished or changed.");
        Options.add(spec, Options.value(Integer.class, value -> generation = value, "--generation").required(true), "G",
                "Finish only while this is the newest generation of the transfer.");
        Options.add(spec, Options.flag(value -> again = value, "--again"),
                "Write no result if a signal stops it, because it will be run again.");
    }

    @Override
    public Integer call() {
        try (Session session = Session.beginJob(common)) {
            TransferDirectory transfer = TransferDirectory.open(Path.of(""));
            Finishing finishing = Finishing.of(Linux.calls(), transfer, generation).withThreads(common.threads);
            TransferResult result = (again ? finishing.withAnother() : finishing).finish(session, session.progress(),
                    session.cancellation());
            session.end(session.problems().counts(), true);
            session.screen().note(text(transfer, result));
            Publication.update(transfer, session.screen()::note);
            return code(result).code();
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
    }

    /** Returns the result in words. */
    static String text(TransferDirectory transfer, TransferResult result) {
        String done = transfer.operation().participle();
        return switch (result.state()) {
            case COMPLETE -> result.entries() == 1
                    ? done + " 1 entry"
                    : done + " all of " + Text.count(result.entries()) + " entries";
            case PARTIAL ->
                done + " " + Text.count(result.done()) + " of " + Text.count(result.entries(), "entry", "entries")
                        + ", " + Text.count(result.failed(), "failure", "failures");
            case INCOMPLETE, STOPPED -> result.problem().isEmpty() ? "stopped" : result.problem();
            case SUPERSEDED -> "the transfer has been resumed or cancelled";
        };
    }

    /** Returns the exit code of a finishing job with this result. */
    static ExitCode code(TransferResult result) {
        return switch (result.state()) {
            case COMPLETE, PARTIAL -> ResultReport.code(result);
            case INCOMPLETE -> ExitCode.PARTIAL;
            case STOPPED, SUPERSEDED -> ExitCode.INTERRUPTED;
        };
    }
}
