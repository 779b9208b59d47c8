// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.JavaCommand;
import org.treehaul.core.testing.Ready;
import org.treehaul.core.transfer.FatalCalls;

/** A sync of two trees in a process of its own, which is killed or stopped at one of its calls. */
final class SyncProcess implements AutoCloseable {

    private static final String STOP = "removal:";

    private final Process process;
    private final BufferedReader output;

    /**
     * Starts the sync.
     *
     * @param fatal the call at which it ends, see {@link FatalCalls}, or the {@linkplain #stop removal} before which it
     *        stops
     */
    SyncProcess(SyncTrees trees, KilledSyncTest.Mode mode, int threads, String fatal) {
        List<String> command = JavaCommand.of(SyncProcess.class, trees.source + "/", trees.copy, mode.name(), threads,
                trees.place.path(), fatal);
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
            output = Ready.await(process);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the argument for a process that stops itself before it examines an entry to remove. */
    static String stop(int number) {
        return STOP + number;
    }

    /** Runs the sync that the arguments describe, in the order in which {@link #SyncProcess} gives them. */
    public static void main(String[] args) throws CopyRefusedException {
        SyncOptions options = KilledSyncTest.options(KilledSyncTest.Mode.valueOf(args[2]), Integer.parseInt(args[3]));
        System.out.println(Ready.LINE);
        boolean isStopped = args[5].startsWith(STOP);
        AtomicInteger left = new AtomicInteger(isStopped ? Integer.parseInt(args[5].substring(STOP.length())) : 0);
        FileSystemCalls calls = isStopped ? Linux.calls() : FatalCalls.of(Linux.calls(), args[5]);
        SyncResult result = TreeSync.of(calls, options, Path.of(args[4]))
                .sync(SyncTrees.bytes(args[0]), SyncTrees.bytes(args[1]), change -> {
                    // Everything was listed, and this entry is examined next.
                    if (change.action() == Change.Action.REMOVE && left.decrementAndGet() == 0) {
                        signal("STOP", ProcessHandle.current().pid());
                    }
                }, System.out::println, new Progress(), new Cancellation());
        System.out.println(result);
    }

    private static void signal(String name, long pid) {
        try {
            new ProcessBuilder("kill", "-" + name, String.valueOf(pid)).start().waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns its output once it has ended. */
    List<String> await() throws InterruptedException {
        List<String> lines = output.lines().toList();
        process.waitFor();
        return lines;
    }

    /** Waits until it has ended or stopped itself; returns whether it has stopped. */
    boolean awaitStop() throws IOException, InterruptedException {
        while (!process.waitFor(20, TimeUnit.MILLISECONDS)) {
            if (SyncTrees.isStopped(process.pid())) {
                return true;
            }
        }
        return false;
    }

    /** Continues it until it has ended. */
    void continueToItsEnd() throws InterruptedException {
        do {
            signal("CONT", process.pid());
        } while (!process.waitFor(50, TimeUnit.MILLISECONDS));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
