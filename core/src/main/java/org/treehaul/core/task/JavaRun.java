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

    // A journal with a record of 16 MiB cannot be read back.
    private static final int LONGEST_TEXT = 1000;

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
        DescriptorStream out = new DescriptorStream(calls, outputs.out());
        DescriptorStream err = new DescriptorStream(calls, outputs.err());
        try {
            return run(task, input, new BufferedOutputStream(out), new BufferedOutputStream(err));
        } finally {
            // A thread that the task has left behind may still write.
            out.end();
            err.end();
        }
    }

    private TaskEnd run(EntryTask task, TaskInput input, OutputStream out, OutputStream err) {
        boolean wasInterrupted = thread.isInterrupted();
        Throwable failure = failure(task,
                new EntryTask.Input(input.path(), Optional.ofNullable(input.segment()), out, err));
        // A later interrupt is not for this run. One that the task leaves behind is not for the thread, which goes on with
        // files that Java closes if it is interrupted, such as the journal of a batch.
        synchronized (this) {
            hasEnded = true;
            if (isInterrupted || !wasInterrupted) {
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
        } catch (Exception | Error e) {
            if (e instanceof VirtualMachineError broken && !(e instanceof StackOverflowError)) {
                throw broken;
            }
            return e;
        }
    }

    // An output that cannot be stored is a failure as well.
    private static @Nullable Throwable withOutputs(@Nullable Throwable failure, OutputStream out, OutputStream err) {
        try {
            out.flush();
            err.flush();
            if (failure != null && (failure instanceof RuntimeException || failure instanceof Error)) {
                PrintStream trace = new PrintStream(err, false, StandardCharsets.UTF_8);
                failure.printStackTrace(trace);
                trace.flush();
            }
            return failure;
        } catch (IOException | RuntimeException e) {
            return failure == null ? e : failure;
        }
    }

    private static String text(Throwable failure) {
        String text;
        try {
            String message = failure.getMessage();
            boolean isFault = failure instanceof RuntimeException || failure instanceof Error;
            text = message == null || isFault ? failure.toString() : message;
        } catch (RuntimeException e) {
            // It fails to describe itself.
            text = failure.getClass().getName();
        }
        return text.length() <= LONGEST_TEXT ? text : text.substring(0, LONGEST_TEXT) + "...";
    }
}
