// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.entries.EntryTask;
import org.treehaul.core.copy.options.ShellWord;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.LongPath;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.CommandTemplate;
import org.treehaul.core.task.JavaTask;
import org.treehaul.core.task.ListFile;
import org.treehaul.core.task.OutputFiles;
import org.treehaul.core.task.TaskEnd;
import org.treehaul.core.task.TaskInput;
import org.treehaul.core.task.TaskOutputs;
import org.treehaul.core.task.TaskRunner;
import org.treehaul.core.task.TaskWalk;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Runs the command for the files of the operands. */
record RunTask(RunInput input, CommandTask task) implements EntryTask {

    private static final int LIST = 1000;
    private static final int FEW_BATCHES = 4;

    @Override
    public String noun() {
        return "a run";
    }

    @Override
    public String participle() {
        return input.at().node().map(node -> "on " + ByteString.printable(node) + " handled").orElse("handled");
    }

    // The processes of a job share a batch, and wait for each other at its end. A single job shares its batch with no other.
    @Override
    public int batchesPerJob(int jobs) {
        return task.body().takesList() ? EntryTask.super.batchesPerJob(jobs) : jobs == 1 ? 1 : FEW_BATCHES;
    }

    // Nodes may have other programs.
    @Override
    public void check() {
        if (!input.entries.isTransfer() && task.body() instanceof CommandTemplate command
                && !command.hasPlaceInProgram()) {
            ProgramSearch.problem(command.words().getFirst()).ifPresent(problem -> {
                throw input.common.usage(problem);
            });
        }
    }

    @Override
    public List<Path> jars() {
        return input.jars();
    }

    @Override
    public Operation.OnEntries operation() {
        return new Operation.Run(task, input.at().isGiven() ? Optional.of(input.at().address()) : Optional.empty());
    }

    @Override
    public JobOptions jobs(JobOptions given) {
        return input.at().isGiven() ? input.at().jobs(given) : given;
    }

    @Override
    public WalkOptions walk() {
        return WalkOptions.defaults()
                .withOneFileSystem(input.select().oneFileSystem)
                .withFilter(input.select().filter())
                .withWhere(input.where());
    }

    @Override
    public List<Root> roots(EventListener listener, Progress progress) {
        if (input.at().isGiven()) {
            return input.at().roots(input.entries.operands());
        }
        List<Root> roots = new ArrayList<>();
        try (FileAccess access = FileAccess.open(Linux.calls())) {
            for (Root root : input.select().roots(input.entries.operands())) {
                try {
                    LongPath.status(access, root.path(), false);
                    roots.add(root);
                } catch (SystemCallException e) {
                    progress.entryFailed();
                    listener.onEvent(new Event.Failed(EntryFailure.of(root.path(), TreePath.root(), e)));
                }
            }
        }
        return roots;
    }

    @Override
    public void ended(TransferDirectory transfer, Session session) throws IOException {
        // A job that plans may have failed.
        if ((input.isJoined() || input.isTagged()) && Plan.exists(transfer.plan())) {
            new TransferOutputs(session, input.isTagged()).print(transfer, task);
            // The session has ended before this.
            Optional<String> problem = session.output().problem();
            if (problem.isPresent()) {
                throw new TransferException(
                        problem.get() + "; 'treehaul run --outputs " + transfer.id() + "' prints the outputs again");
            }
        }
    }

    @Override
    public Outcome perform(EventListener listener, Session session) {
        Progress progress = session.progress();
        Cancellation stop = Cancellation.of(session.cancellation());
        int threads = input.common.threads > 0 ? input.common.threads : Runtime.getRuntime().availableProcessors();
        if (input.at().isGiven()) {
            return new StagedRun(this, input.at(), listener, session, stop).perform(threads);
        }
        // With one thread the order is that of the listings.
        TaskWalk walk = new TaskWalk(input.entries.ranks.walking(Linux.calls(), walk().withThreads(1)),
                task.body().takesList() ? input.entries.batchFiles(LIST) : 1, threads, task.segments());
        try (TaskOutputs outputs = outputs(session, listener);
                TaskRunner runner = TaskRunner.open(Linux.calls(), task, true)) {
            session.beforeHalt(runner::kill);
            LocalRun run = new LocalRun(this, session, listener, runner, outputs, stop,
                    (group, command) -> command.apply(group.entries().getFirst().input()));
            boolean isWhole = walk.run(input.select().roots(input.entries.operands()), stop, failure -> {
                progress.entryFailed();
                listener.onEvent(new Event.Failed(failure));
            }, run::run);
            return new Outcome(progress.snapshot(), isWhole);
        } catch (IOException e) {
            session.screen().error(String.valueOf(e.getMessage()));
            progress.entryFailed();
            return new Outcome(progress.snapshot(), false);
        }
    }

    // The nodes of a stage may write to the same directory.
    private String label(long number) {
        return String.format(Locale.ROOT, "%07d", number)
                + input.at().node().map(node -> "." + node.replace('/', '_')).orElse("");
    }

    TaskOutputs outputs(Session session, EventListener listener) throws SystemCallException {
        return task.outputs().isPresent()
                ? OutputFiles.in(Linux.calls(), task.outputs().get())
                : new PrintedOutputs(session, listener, input.isJoined(), input.isTagged());
    }

    /** Gives the entry of a group the path that its command gets. */
    interface Paths {
        TaskEnd with(TaskWalk.Group group, Function<TaskInput, TaskEnd> command) throws IOException;
    }

    /** The work on each group, by any of the threads. */
    record LocalRun(RunTask of, Session session, EventListener listener, TaskRunner runner, TaskOutputs outputs,
            Cancellation stop, Paths paths) {

        void run(TaskWalk.Group group) {
            if (of.input.entries.isDryRun()) {
                print(group);
                return;
            }
            Optional<TaskEnd> end;
            try {
                end = end(group);
            } catch (SystemCallException e) {
                group.entries().forEach(entry -> failed(entry, e));
                return;
            } catch (IOException e) {
                group.entries()
                        .forEach(entry -> failed(entry, new SystemCallException(
                                "write the list of paths: " + ByteString.of(String.valueOf(e)), 0)));
                return;
            }
            if (!session.output().isUsable()) {
                stop.cancel();
            }
            end.ifPresent(known -> group.entries()
                    .forEach(entry -> known.failure()
                            .ifPresentOrElse(cause -> failed(entry, cause), () -> done(entry))));
        }

        // Empty if no command may begin any more: the outputs may have waited long for their turn.
        private Optional<TaskEnd> end(TaskWalk.Group group) throws IOException {
            if (stop.isCancelled() && !of.input.isJoined()) {
                // The outputs of an earlier run stay. Those that are joined miss none of their numbers.
                return Optional.empty();
            }
            ByteString first = named(group.entries().getFirst().fullPath());
            TaskOutputs.Opened opened = outputs.open(group.number(), of.label(group.number()), first);
            try {
                if (stop.isCancelled()) {
                    return Optional.empty();
                }
                if (!of.task.body().takesList()) {
                    return Optional.of(paths.with(group, given -> runner.run(given, opened, stop)));
                }
                try (ListFile list = ListFile.of(group.entries().stream().map(TaskWalk.Found::fullPath).toList())) {
                    return Optional.of(runner.run(TaskInput.of(list.name()), opened, stop));
                }
            } finally {
                opened.end();
            }
        }

        // The last name of a path at the top of a stage, NAME:PATH, begins after the colon.
        private ByteString named(ByteString path) {
            return of.input.at().isGiven() && of.task.outputs().isPresent()
                    ? ByteString.of(path.toBytes(), of.input.at().name().length() + 1, path.length())
                    : path;
        }

        private void done(TaskWalk.Found entry) {
            session.progress().entryDone(entry.kind());
            listener.onEvent(new Event.Ran(entry.fullPath()));
        }

        private void failed(TaskWalk.Found entry, SystemCallException cause) {
            session.progress().entryFailed();
            listener.onEvent(new Event.Failed(EntryFailure.of(entry.root(), entry.path(), entry.input().named(cause))));
        }

        // A list exists only while its command runs.
        private void print(TaskWalk.Group group) {
            String shown = switch (of.task.body()) {
                case CommandTemplate command -> {
                    List<ByteString> words = command.takesList()
                            ? command.words()
                            : command.wordsFor(group.entries().getFirst().input());
                    yield words.stream().map(ShellWord::of).collect(Collectors.joining(" "));
                }
                case JavaTask named -> named.name() + " " + ShellWord.of(group.entries().getFirst().input().label());
            };
            session.json().ifPresentOrElse(json -> {
                synchronized (json) {
                    json.begin("command").path("path", group.entries().getFirst().fullPath());
                    json.text("command", shown).number("entries", group.entries().size()).end();
                }
            }, () -> session.output().line(shown));
            group.entries().forEach(entry -> session.progress().entryDone(entry.kind()));
        }
    }
}
