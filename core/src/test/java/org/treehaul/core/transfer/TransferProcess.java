// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.sync.SyncTrees;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.work.Worker;

/** A worker or finisher in a process of its own, which can be killed or stopped. Killed on close. */
public final class TransferProcess implements AutoCloseable {

    private final Process process;
    private final BufferedReader output;

    private TransferProcess(Process process) throws IOException {
        this.process = process;
        this.output = Ready.await(process);
    }

    /**
     * The arguments are the directory of the transfer, the generation, a worker's number, "last" or "finish", and
     * optionally the call at which the process ends or stops.
     */
    public static void main(String[] args) throws IOException {
        TransferDirectory transfer = TransferDirectory.open(Path.of(args[0]));
        int generation = Integer.parseInt(args[1]);
        System.out.println(Ready.LINE);
        FileSystemCalls calls = args.length > 3 ? FatalCalls.of(Linux.calls(), args[3]) : Linux.calls();
        String end;
        try {
            Finishing finishing = Finishing.of(calls, transfer, generation);
            end = switch (args[2]) {
                case "finish" ->
                    finishing.finish(TransferProcess::print, new Progress(), new Cancellation()).toString();
                case "last" ->
                    finishing.finishIfLast(TransferProcess::print, new Progress(), new Cancellation()).toString();
                default -> Worker.of(calls, transfer, generation)
                        .withIndex(Integer.parseInt(args[2]))
                        .work(TransferProcess::print, new Progress(), new Cancellation())
                        .toString();
            };
        } catch (IOException e) {
            end = e.toString();
        }
        System.out.println(end);
    }

    private static void print(Event event) {
        System.out.println(event);
    }

    static TransferProcess worker(TransferDirectory transfer, int generation, int index) {
        return start(List.of(), transfer, generation, String.valueOf(index));
    }

    /** Starts a worker that ends or stops at a call, see {@link FatalCalls}. */
    public static TransferProcess worker(TransferDirectory transfer, int generation, int index, String fatal) {
        return start(List.of(), transfer, generation, String.valueOf(index), fatal);
    }

    /** Starts a finishing that ends or stops at a call, see {@link FatalCalls}. */
    public static TransferProcess finishing(TransferDirectory transfer, int generation, String fatal) {
        return start(List.of(), transfer, generation, "finish", fatal);
    }

    /** Runs two workers at the same time, each of which is killed at one of its first calls. */
    static void killWorkers(TransferDirectory transfer, int generation, Random random, int calls)
            throws InterruptedException {
        try (TransferProcess one = worker(transfer, generation, 0, FatalCalls.kill(random, calls));
                TransferProcess two = worker(transfer, generation, 1, FatalCalls.kill(random, calls))) {
            one.await();
            two.await();
        }
    }

    /** Runs a finishing that is killed at one of its first calls. */
    static void killFinishing(TransferDirectory transfer, int generation, Random random, int calls)
            throws InterruptedException {
        try (TransferProcess finishing = finishing(transfer, generation, FatalCalls.kill(random, calls))) {
            finishing.await();
        }
    }

    static TransferProcess finishing(TransferDirectory transfer, int generation) {
        return start(List.of(), transfer, generation, "finish");
    }

    /** Starts a worker that finds nothing to do and finishes if it is the last one. */
    static TransferProcess last(TransferDirectory transfer, int generation) {
        return start(List.of(), transfer, generation, "last");
    }

    private static TransferProcess start(List<String> by, TransferDirectory transfer, int generation, String... what) {
        List<String> command = new ArrayList<>(by);
        command.addAll(JavaCommand.of(TransferProcess.class, transfer.path(), generation));
        command.addAll(List.of(what));
        try {
            return new TransferProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns its output after it was ready, once it has ended. */
    public List<String> await() throws InterruptedException {
        List<String> lines = output.lines().toList();
        process.waitFor();
        return lines;
    }

    /** Returns true once the process has stopped itself, false if it ended. */
    public boolean awaitStop() throws IOException, InterruptedException {
        while (!SyncTrees.isStopped(process.pid())) {
            if (process.waitFor(20, TimeUnit.MILLISECONDS)) {
                return false;
            }
        }
        return true;
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /** Sends a signal by name. */
    void signal(String name) throws IOException, InterruptedException {
        assertThat(reaches(name)).isTrue();
    }

    /** Sends a signal by name; returns whether the process was still running. */
    boolean reaches(String name) throws IOException, InterruptedException {
        return new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid())).start().waitFor() == 0;
    }

    /** Continues it until it has ended, however late it stops itself. */
    public void continueToItsEnd() throws IOException, InterruptedException {
        do {
            reaches("CONT");
        } while (!process.waitFor(50, TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
