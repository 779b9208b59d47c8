// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.transfer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.Callable;

import org.jspecify.annotations.Nullable;
import org.treehaul.cli.args.Options;
import org.treehaul.cli.common.CommonOptions;
import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.report.JsonLines;
import org.treehaul.cli.report.Output;
import org.treehaul.core.transfer.BatchStatus;
import org.treehaul.core.transfer.Refusal;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.schedulers.JobState;
import org.treehaul.schedulers.SchedulerException;
import org.treehaul.schedulers.TransferJobs;
import picocli.CommandLine.Model.CommandSpec;

/** {@code treehaul status}: shows the progress of transfers. */
public final class StatusCommand implements Callable<Integer> {

    private static final byte[] CLEAR_SCREEN = "\u001b[H\u001b[2J".getBytes(StandardCharsets.US_ASCII);

    public final CommandSpec spec = CommandSpec.wrapWithoutInspection(this);
    private final CommonOptions common = new CommonOptions(spec);
    private final StateOptions state = new StateOptions(spec);
    private @Nullable String named;
    private boolean watch;
    private boolean isAbandoned;
    private boolean isUnsubmitted;

    /** Defines the command for Picocli. */
    public StatusCommand() {
        spec.name("status");
        spec.usageMessage()
                .header("Show the progress of transfers.")
                .customSynopsis("treehaul status [--watch] [--json] [ID]")
                .description(
                        "%nWithout ID, lists all transfers, one per line. With an ID, the end of one, or 'last': shows that transfer, batch "
                                + "by batch.%n")
                .footer("%nExamples:", "  treehaul status", "  treehaul status --watch last",
                        "%nExit codes: 0 shown, 2 there is no such transfer.");
        spec.addPositional(Options.optionalOperand(String.class, value -> named = value)
                .paramLabel("ID")
                .description("A transfer.")
                .build());
        spec.addOption(Options.flag(value -> watch = value, "--watch")
                .description("Repeat every --progress-interval seconds until everything is done.")
                .build());
    }

    @Override
    public Integer call() throws Exception {
        common.check();
        try {
            boolean goesOn = show();
            while (watch && goesOn) {
                Thread.sleep(common.interval * 1000L);
                goesOn = show();
            }
            return ExitCode.DONE.code();
        } catch (IOException e) {
            common.screen().error(StateDirectory.reason(e));
            return ExitCode.TROUBLE.code();
        }
    }

    private boolean show() throws IOException {
        Output output = Output.standard();
        List<TransferStatus> shown = new ArrayList<>();
        Map<TransferId, IOException> problems = new TreeMap<>();
        Transfers transfers = state.reading();
        if (named != null) {
            shown.add(transfers.status(state.open(named)));
        } else {
            for (TransferId id : transfers.list()) {
                try {
                    shown.add(transfers.status(transfers.open(id)));
                } catch (IOException e) {
                    // It may have been forgotten just now.
                    if (transfers.list().contains(id)) {
                        problems.put(id, e);
                    }
                }
            }
        }
        Optional<JobsLeft> left = named != null ? jobsLeft(transfers, shown.getFirst()) : Optional.empty();
        if (common.json) {
            JsonLines json = new JsonLines(output);
            shown.forEach(status -> TransferReport.json(json, status, named != null, left));
            problems.forEach((id, problem) -> TransferReport.json(json, id, problem));
            json.flush();
        } else {
            if (watch && output.isTerminal()) {
                output.write(CLEAR_SCREEN, CLEAR_SCREEN.length);
            }
            StringBuilder text = new StringBuilder();
            for (TransferStatus status : shown) {
                text.append(TransferReport.line(status)).append('\n');
                if (named != null) {
                    limit(transfers, status, text);
                    batches(status, text);
                    refusal(transfers, status, text);
                    left.ifPresent(jobs -> text.append("  ").append(jobs.text()).append('\n'));
                }
            }
            problems.forEach((id, problem) -> text.append(id)
                    .append("  ")
                    .append(TransferReport.word(problem))
                    .append(": ")
                    .append(StateDirectory.reason(problem))
                    .append('\n'));
            if (text.isEmpty()) {
                common.screen().note("there are no transfers in " + state.directory());
            } else {
                output.line(text.toString().stripTrailing());
            }
        }
        output.flush();
        return !isAbandoned && shown.stream().anyMatch(status -> TransferReport.goesOn(status.state()));
    }

    // Only the scheduler knows the state of jobs.
    private Optional<JobsLeft> jobsLeft(Transfers transfers, TransferStatus status) throws IOException {
        if (!TransferReport.goesOn(status.state()) || status.generation() == 0) {
            return Optional.empty();
        }
        try {
            TransferDirectory transfer = transfers.open(status.id());
            TransferJobs jobs = TransferCommand.jobs(transfer);
            if (transfer.submittedJobs().stream().noneMatch(known -> known.generation() == status.generation())) {
                if (jobs.areLaunched()) {
                    // Another command may be about to submit jobs, and will have done so at the next look.
                    isAbandoned = isUnsubmitted;
                    isUnsubmitted = true;
                    return Optional
                            .of(JobsLeft.none("no job of it is submitted; unless a command is about to submit them, "
                                    + "'treehaul resume " + status.id() + "' continues it"));
                }
                return Optional.of(JobsLeft.unknown("its ranks were started by hand: when none of them is left, "
                        + "'treehaul resume " + status.id() + "' continues it"));
            }
            Map<String, JobState> live = jobs.live(status.generation());
            if (!live.isEmpty()) {
                return Optional.of(JobsLeft.of(live.values(),
                        live.containsValue(JobState.WAITING) ? jobs.reasons(status.generation()) : List.of()));
            }
            // The last job may have ended since the state was read.
            if (!TransferReport.goesOn(transfers.status(transfer).state())) {
                return Optional.empty();
            }
            isAbandoned = true;
            return Optional.of(JobsLeft.none("no job of it is left; 'treehaul resume " + status.id()
                    + "' continues it; " + TransferReport.output(transfer, jobs.withoutOutput(status.generation()))));
        } catch (TransferException e) {
            return Optional.of(JobsLeft.unknown(String.valueOf(e.getMessage())));
        } catch (SchedulerException e) {
            return Optional
                    .of(JobsLeft.unknown("cannot get the state of its jobs from the scheduler: " + e.getMessage()));
        }
    }

    private void limit(Transfers transfers, TransferStatus status, StringBuilder text) throws IOException {
        long bandwidth = transfers.bandwidth(transfers.open(status.id()));
        if (bandwidth > 0 && TransferReport.goesOn(status.state())) {
            text.append("  limited to ").append(BandwidthNotice.rate(bandwidth)).append('\n');
        }
    }

    private static void refusal(Transfers transfers, TransferStatus status, StringBuilder text) throws IOException {
        if (status.state() == TransferStatus.State.NOT_SUBMITTED) {
            Refusal.of(transfers.open(status.id()), status.generation())
                    .ifPresent(refusal -> text.append("  ")
                            .append(refusal.reason())
                            .append("\n  'treehaul resume ")
                            .append(status.id())
                            .append("' submits the jobs again; --queue replaces the options of the queue\n"));
        }
    }

    private static void batches(TransferStatus status, StringBuilder text) {
        text.append("  ").append(status.commandLine()).append('\n');
        for (BatchStatus batch : status.batches()) {
            text.append("  batch ")
                    .append(batch.number())
                    .append(' ')
                    .append(TransferReport.words(batch.state()))
                    .append("; ")
                    .append(TransferReport.amounts(batch));
            if (!batch.job().isEmpty() || !batch.host().isEmpty()) {
                text.append("; ")
                        .append(String.join(" on ",
                                List.of(batch.job(), batch.host()).stream().filter(word -> !word.isEmpty()).toList()));
            }
            text.append('\n');
        }
        status.result()
                .filter(result -> !result.problem().isEmpty())
                .ifPresent(result -> text.append("  ").append(result.problem()).append('\n'));
    }
}
