// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.operation.EntryOperation;
import org.treehaul.core.operation.OperationTarget;
import org.treehaul.core.places.FilePlaces;
import org.treehaul.core.places.PlacesAddress;

/**
 * Runs a command, or a Java class, for single entries: for directories, which the finishing of a transfer processes.
 * Their outputs go to standard error of this process. Safe for any number of threads.
 */
public final class CommandOperation implements EntryOperation {

    private final CommandTask task;
    private final @Nullable EntryTask entryTask;
    private final Optional<PlacesAddress> at;
    // Both guarded by this.
    private final Set<TaskRunner> running = new HashSet<>();
    private boolean isStopped;

    private CommandOperation(CommandTask task, @Nullable EntryTask entryTask, Optional<PlacesAddress> at) {
        this.at = at;
        this.task = task;
        this.entryTask = entryTask;
    }

    /**
     * Creates the operation of one worker.
     *
     * @param at the files, if these are in no mounted tree
     * @throws UnknownTaskException if this program does not have the class, or has another version
     */
    public static CommandOperation of(CommandTask task, Optional<PlacesAddress> at) throws UnknownTaskException {
        return new CommandOperation(task,
                task.body() instanceof JavaTask named ? EntryTasks.create(named, EntryTasks.loaders()) : null, at);
    }

    /**
     * Opens the files if these are in no mounted tree.
     *
     * @return the files; null if each has a path of its own
     * @throws IOException if they cannot be reached
     */
    public @Nullable FilePlaces openPlaces() throws IOException {
        return at.isPresent() ? at.get().open() : null;
    }

    /** Returns the command or the class. */
    public CommandTask task() {
        return task;
    }

    /**
     * Opens a runner for other entries of the same work.
     *
     * @throws SystemCallException if /dev/null cannot be opened
     */
    public TaskRunner open(FileSystemCalls calls) throws SystemCallException {
        return TaskRunner.open(calls, task, entryTask, false);
    }

    /** Ends what runs, as {@link TaskRunner#stop} does. Nothing further begins. */
    public synchronized void stop() {
        isStopped = true;
        running.forEach(TaskRunner::stop);
    }

    @Override
    public void entry(OperationTarget target) throws SystemCallException {
        run(target.path().below(target.root()));
    }

    @Override
    public void directory(OperationTarget target) throws SystemCallException {
        run(target.path().below(target.root()));
    }

    private void run(ByteString path) throws SystemCallException {
        try (TaskRunner runner = open(Linux.calls())) {
            begin(runner);
            try {
                // Standard output may carry results, or the answers to a worker of root.
                TaskInput input = new TaskInput(path, task.segments().divides() ? Segment.whole(0) : null);
                TaskEnd end = runner.run(input, new TaskOutputs.Opened(2, 2, () -> {}), new Cancellation());
                if (end.failure().isPresent()) {
                    throw end.failure().get();
                }
            } finally {
                end(runner);
            }
        }
    }

    private synchronized void begin(TaskRunner runner) {
        running.add(runner);
        if (isStopped) {
            runner.stop();
        }
    }

    private synchronized void end(TaskRunner runner) {
        running.remove(runner);
    }
}
