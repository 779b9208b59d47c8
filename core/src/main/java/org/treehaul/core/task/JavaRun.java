// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;

/** One run of a task of a Java class, on the thread that creates it. Other threads may interrupt it. */
final class JavaRun implements RunningTask {

    private final Thread thread = Thread.currentThread();
    private final Duration limit;
    // Guarded by this.
    private boolean hasEnded;
    private boolean isTimedOut;
    private boolean isInterrupted;

    JavaRun(Duration limit) {
        this.limit = limit;
    }

    @Override
    public synchronized void signal(int signal, boolean byLimit) {
        if (!hasEnded) {
            isTimedOut |= byLimit;
            isInterrupted = true;
            thread.interrupt();
        }
    }

    /** Runs the task. It has succeeded if it returns, also after an interrupt. */
    TaskEnd run(EntryTask task, TaskInput input, FileSystemCalls calls, TaskOutputs.Opened outputs) {
        OutputStream out = new BufferedOutputStream(new DescriptorStream(calls, outputs.out()));
        OutputStream err = new BufferedOutputStream(new DescriptorStream(calls, outputs.err()));
        Throwable failure = failure(task,
                new EntryTask.Input(input.path(), Optional.ofNullable(input.segment()), out, err));
        // A later interrupt is not for this run.
        synchronized (this) {
            hasEnded = true;
            if (isInterrupted) {
                Thread.interrupted();
            }
        }
        failure = withOutputs(failure, out, err);
        if (failure == null) {
            return new TaskEnd.Exited(0);
        }
        return isTimedOut
                ? new TaskEnd.TimedOut(limit)
                : isInterrupted ? new TaskEnd.Stopped() : new TaskEnd.Threw(ByteString.printable(text(failure)));
    }

    private static @Nullable Throwable failure(EntryTask task, EntryTask.Input input) {
        try {
            task.run(input);
            return null;
        } catch (Exception | LinkageError | AssertionError | StackOverflowError e) {
            return e;
        }
    }

    // What was written but cannot be kept is a failure as well.
    private static @Nullable Throwable withOutputs(@Nullable Throwable failure, OutputStream out, OutputStream err) {
        try {
            out.flush();
            if (failure != null && (failure instanceof RuntimeException || failure instanceof Error)) {
                PrintStream trace = new PrintStream(err, false, StandardCharsets.UTF_8);
                failure.printStackTrace(trace);
                trace.flush();
            }
            err.flush();
            return failure;
        } catch (IOException e) {
            return failure == null ? e : failure;
        }
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        boolean isFault = failure instanceof RuntimeException || failure instanceof Error;
        return message == null || isFault ? failure.toString() : message;
    }
}
