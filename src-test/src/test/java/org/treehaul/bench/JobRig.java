// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.programs.Programs;

/** Runs copies as jobs: of a separate Slurm on this machine, or as processes. Used by one thread. */
final class JobRig implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofHours(1);

    private final String treehaul;
    private final Path state;
    private final Path script;
    /** The directory of the Slurm, if it is used. */
    private final Optional<Path> slurm;
    private final List<String> environment;

    /**
     * Starts the scheduler.
     *
     * @param scheduler {@code slurm} or {@code local}
     * @param script the script that starts a Slurm
     * @param treehaul the program to measure
     * @param state the state directory
     */
    JobRig(String scheduler, Path script, String treehaul, Path state) throws IOException {
        this.treehaul = treehaul;
        this.state = state;
        this.script = script;
        if (!scheduler.equals("slurm")) {
            slurm = Optional.empty();
            environment = List.of();
            return;
        }
        Path place = Files.createTempDirectory("treehaul-slurm");
        // The programs of an ordinary user must be able to find the sockets.
        Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwx--x--x"));
        slurm = Optional.of(place);
        environment = List.of("SLURM_CONF=" + place.resolve("slurm/slurm.conf"));
        try {
            Programs.run("env", "OWNER=" + ProcessHandle.current().pid(), "CPUS=4", script, "up",
                    place.resolve("slurm"));
        } catch (IllegalStateException failure) {
            close();
            throw failure;
        }
    }

    /** Returns whether the scheduler reports which worker did which batch. */
    boolean namesWorkers() {
        return slurm.isPresent();
    }

    String scheduler() {
        return slurm.isPresent() ? "slurm" : "local";
    }

    /** Plans into a directory that does not exist yet. */
    PlanRun plan(List<Object> options, Path source, Path target, Path plan) throws IOException {
        List<Object> command = new ArrayList<>(List.of(treehaul, "plan", "-a", "-o", plan));
        command.addAll(options);
        command.addAll(List.of("-T", source, target));
        Instant start = Instant.now();
        Programs.run(command.toArray());
        return PlanRun.of(plan, JobRun.seconds(start, Instant.now()));
    }

    /**
     * Copies by jobs and waits for the end.
     *
     * @throws IllegalStateException when not everything was copied
     */
    JobRun copy(List<Object> options, Path source, Path target) throws IOException, InterruptedException {
        List<Object> command = new ArrayList<>(List.of("env"));
        command.addAll(environment);
        command.addAll(List.of(treehaul, "cp", "-a", "--scheduler", scheduler(), "--state-dir", state));
        command.addAll(options);
        command.addAll(List.of("-T", source, target));
        Instant start = Instant.now();
        Programs.run(command.toArray());
        Instant submitted = Instant.now();
        Transfers transfers = Transfers.in(state);
        List<TransferId> ids = transfers.list();
        TransferDirectory transfer = transfers.open(ids.getLast());
        TransferStatus status = awaitResult(transfers, transfer);
        TransferResult result = status.result().orElseThrow();
        if (result.state() != TransferResult.State.COMPLETE) {
            throw new IllegalStateException(transfer.path() + " is " + result.state() + ": " + result.problem());
        }
        Instant planned = Files.getLastModifiedTime(transfer.plan().resolve("sealed")).toInstant();
        JobRun run = JobRun.of(start, planned, submitted, result.time(), status.batches());
        awaitJobs(transfer);
        transfers.forget(transfer);
        return run;
    }

    private static TransferStatus awaitResult(Transfers transfers, TransferDirectory transfer)
            throws IOException, InterruptedException {
        Instant end = Instant.now().plus(PATIENCE);
        while (true) {
            TransferStatus status = transfers.status(transfer);
            if (status.result().isPresent()) {
                return status;
            }
            if (Instant.now().isAfter(end)) {
                throw new IllegalStateException(transfer.path() + " has no end after " + PATIENCE);
            }
            Thread.sleep(100);
        }
    }

    // The last job still writes its log when the result already exists.
    private void awaitJobs(TransferDirectory transfer) throws IOException, InterruptedException {
        if (slurm.isPresent()) {
            List<Object> squeue = new ArrayList<>(List.of("env"));
            squeue.addAll(environment);
            squeue.addAll(List.of("squeue", "-h", "-t", "pending,running,completing"));
            while (!Programs.run(squeue.toArray()).isBlank()) {
                Thread.sleep(100);
            }
        } else {
            String finishing = transfer.submittedJobs().getLast().ids().getLast();
            while (Files.exists(Path.of("/proc", finishing.substring(0, finishing.indexOf(':'))))) {
                Thread.sleep(50);
            }
        }
    }

    @Override
    public void close() throws IOException {
        if (slurm.isPresent()) {
            Programs.ask(script, "down", slurm.get().resolve("slurm"));
            Programs.run("rm", "-rf", "--", slurm.get());
        }
    }
}
