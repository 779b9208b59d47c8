// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import static org.treehaul.core.fs.LinuxConstants.AT_FDCWD;
import static org.treehaul.core.fs.LinuxConstants.O_RDONLY;

import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.LinuxProcesses;

/**
 * Runs the processes of a task, each in a process group of its own and with an empty standard input, or its Java class.
 * Safe for any number of threads; each call of {@link #run} occupies its thread until the process has ended, or is the
 * thread of the class. A process that stays behind its parent is not waited for.
 */
public final class TaskRunner implements AutoCloseable {

    private static final Duration GRACE = Duration.ofSeconds(10);
    private static final long LOOK_MILLIS = 50;
    private static final long MOST_LOOK_MILLIS = 1000;

    private final FileSystemCalls calls;
    private final CommandTask task;
    private final @Nullable EntryTask entryTask;
    private final int input;
    private final @Nullable ByteString directory;
    private final Duration grace;
    private final Set<RunningTask> running = ConcurrentHashMap.newKeySet();
    // Starts its thread when something is scheduled first.
    private final ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1,
            Thread.ofPlatform().name("treehaul-tasks").daemon(true).factory());
    private volatile boolean isStopped;
    private volatile boolean isKilled;

    private TaskRunner(FileSystemCalls calls, CommandTask task, @Nullable EntryTask entryTask, int input,
            @Nullable ByteString directory, Duration grace) {
        this.calls = calls;
        this.task = task;
        this.entryTask = entryTask;
        this.input = input;
        this.directory = directory;
        this.grace = grace;
        timer.setRemoveOnCancelPolicy(true);
    }

    /**
     * Opens a runner.
     *
     * @param isHere whether the working directory of this process is that of the task
     * @throws SystemCallException if /dev/null cannot be opened
     * @throws UnknownTaskException if the task is of a Java class that this program does not have
     */
    public static TaskRunner open(FileSystemCalls calls, CommandTask task, boolean isHere)
            throws SystemCallException, UnknownTaskException {
        EntryTask entryTask = task.body() instanceof JavaTask named
                ? EntryTasks.create(named, EntryTasks.loaders())
                : null;
        return open(calls, task, entryTask, isHere, GRACE);
    }

    /**
     * Opens a runner.
     *
     * @param entryTask the task of a Java class; null for a command
     * @param isHere whether the working directory of this process is that of the task
     * @throws SystemCallException if /dev/null cannot be opened
     */
    public static TaskRunner open(FileSystemCalls calls, CommandTask task, @Nullable EntryTask entryTask,
            boolean isHere) throws SystemCallException {
        return open(calls, task, entryTask, isHere, GRACE);
    }

    /**
     * Opens a runner.
     *
     * @param grace the time between SIGTERM and SIGKILL
     */
    static TaskRunner open(FileSystemCalls calls, CommandTask task, @Nullable EntryTask entryTask, boolean isHere,
            Duration grace) throws SystemCallException {
        try (Arena arena = Arena.ofConfined()) {
            ByteString none = ByteString.of("/dev/null");
            int input = FileAccess.check("open /dev/null",
                    calls.openat(AT_FDCWD, FileAccess.put(arena.allocate(none.length() + 1L), none), O_RDONLY, 0));
            return new TaskRunner(calls, task, entryTask, input, isHere ? null : task.directory(), grace);
        }
    }

    /** Returns the task. */
    public CommandTask task() {
        return task;
    }

    /**
     * Runs the command for a path, or for a list, and repeats it if it fails and the task permits it.
     *
     * @param path the path of the entry, or of the list
     */
    public TaskEnd run(ByteString path, TaskOutputs.Opened outputs) {
        return run(TaskInput.of(path), outputs, new Cancellation());
    }

    /**
     * Runs the command for an input like {@link #run(ByteString, TaskOutputs.Opened)}, until it is asked to stop.
     *
     * @param stop after its cancellation, the command that runs ends by itself, and is not repeated
     */
    public TaskEnd run(TaskInput given, TaskOutputs.Opened outputs, Cancellation stop) {
        TaskEnd end = once(given, outputs);
        for (int tries = 0; tries < task.retries() && end.mayRepeat() && !isStopped && !stop.isCancelled(); tries++) {
            end = once(given, outputs);
        }
        return end;
    }

    private TaskEnd once(TaskInput given, TaskOutputs.Opened outputs) {
        if (isStopped) {
            return new TaskEnd.Stopped();
        }
        return switch (task.body()) {
            case CommandTemplate command -> {
                int process = LinuxProcesses.spawn(command.wordsFor(given), directory,
                        new LinuxProcesses.Descriptors(input, outputs.out(), outputs.err()));
                if (process < 0) {
                    yield new TaskEnd.NotStarted(-process);
                }
                Running current = new Running(process);
                yield await(current, current::await);
            }
            case JavaTask named -> {
                JavaRun current = new JavaRun(task.limit());
                yield await(current, () -> current.run(Objects.requireNonNull(entryTask), given, calls, outputs));
            }
        };
    }

    private TaskEnd await(RunningTask current, Supplier<TaskEnd> end) {
        running.add(current);
        Future<?> limit = task.limit().isZero() ? null : schedule(() -> end(current, true), task.limit());
        if (isKilled) {
            current.signal(LinuxProcesses.SIGKILL, false);
        } else if (isStopped) {
            end(current, false);
        }
        try {
            return end.get();
        } finally {
            running.remove(current);
            if (limit != null) {
                limit.cancel(false);
            }
        }
    }

    private Future<?> schedule(Runnable action, Duration after) {
        return timer.schedule(action, after.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void end(RunningTask process, boolean isTimedOut) {
        process.signal(LinuxProcesses.SIGTERM, isTimedOut);
        var _ = schedule(() -> process.signal(LinuxProcesses.SIGKILL, isTimedOut), grace);
    }

    /**
     * Ends all processes: SIGTERM now, SIGKILL after ten seconds. Threads of a Java class are interrupted. Nothing
     * further begins.
     */
    public void stop() {
        isStopped = true;
        running.forEach(process -> end(process, false));
    }

    /** Ends all processes at once, from any thread, such as one that handles a signal. No further process begins. */
    public void kill() {
        isKilled = true;
        isStopped = true;
        running.forEach(process -> process.signal(LinuxProcesses.SIGKILL, false));
    }

    @Override
    public void close() {
        timer.shutdownNow();
        calls.close(input);
    }

    /** A process. A signal reaches it only before its number may belong to another process. */
    private final class Running implements RunningTask {

        private final int process;
        private boolean hasEnded;
        private boolean isTimedOut;
        private boolean isEnded;
        private boolean isKilled;

        Running(int process) {
            this.process = process;
        }

        @Override
        public synchronized void signal(int signal, boolean byLimit) {
            if (!hasEnded) {
                isTimedOut |= byLimit;
                isEnded = true;
                isKilled |= signal == LinuxProcesses.SIGKILL;
                notifyAll();
                LinuxProcesses.signal(process, signal);
            }
        }

        TaskEnd await() {
            int waited = LinuxProcesses.await(process);
            if (waited == 0) {
                awaitGroup();
            }
            synchronized (this) {
                hasEnded = true;
                // Some processes may have ignored the signal, or begun after the last look.
                if (isEnded && waited == 0) {
                    LinuxProcesses.signal(process, LinuxProcesses.SIGKILL);
                }
                int status = waited < 0 ? waited : LinuxProcesses.reap(process);
                if (isTimedOut) {
                    return new TaskEnd.TimedOut(task.limit());
                }
                return isEnded ? new TaskEnd.Stopped() : status < 0 ? new TaskEnd.Unknown() : TaskEnd.of(status);
            }
        }

        // A shell ends at once after SIGTERM; the programs that it runs have the same time to end as it has.
        private void awaitGroup() {
            boolean isInterrupted = false;
            // Looks less and less often: each look reads all processes of the host.
            for (long pause = LOOK_MILLIS; isEnding()
                    && ProcessGroup.isAlive(process); pause = Math.min(2 * pause, MOST_LOOK_MILLIS)) {
                isInterrupted |= isInterruptedWithin(pause);
            }
            if (isInterrupted) {
                Thread.currentThread().interrupt();
            }
        }

        private synchronized boolean isEnding() {
            return isEnded && !isKilled;
        }

        // Waits for a while, or until the group is killed. The caller looks again, also after a spurious wakeup.
        @SuppressWarnings("WaitNotInLoop")
        private synchronized boolean isInterruptedWithin(long millis) {
            try {
                if (isEnding()) {
                    wait(millis);
                }
                return false;
            } catch (InterruptedException e) {
                return true;
            }
        }
    }
}
