// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

import org.treehaul.cli.common.Session;
import org.treehaul.cli.entries.EntryTask.Outcome;
import org.treehaul.cli.staged.StageAccess;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.SystemCallException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.state.Host;
import org.treehaul.core.task.Segment;
import org.treehaul.core.task.TaskEnd;
import org.treehaul.core.task.TaskInput;
import org.treehaul.core.task.TaskOutputs;
import org.treehaul.core.task.TaskRunner;
import org.treehaul.core.task.TaskWalk;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedPath;
import org.treehaul.schedulers.stage.node.NodeFile;
import org.treehaul.schedulers.stage.node.NodeFiles;
import org.treehaul.schedulers.stage.node.StagedValues;
import org.treehaul.schedulers.tasks.Launcher;
import org.treehaul.tuplespace.store.SpaceException;

/** Runs the command for the files of a stage: here those of this node, and elsewhere by this program on each node. */
record StagedRun(RunTask of, AtOptions at, EventListener listener, Session session, Cancellation stop) {

    private static final FileSystemCalls CALLS = Linux.calls();

    Outcome perform(int threads) {
        try (StageAccess access = at.access()) {
            return opened(access, threads);
        } catch (StageException e) {
            session.screen().error(String.valueOf(e.getMessage()));
        } catch (SpaceException e) {
            session.screen().error(at.access().explain(e));
        } catch (IOException e) {
            session.screen().error(PrivateFiles.describe(e));
        }
        session.progress().entryFailed();
        return new Outcome(session.progress().snapshot(), false);
    }

    private Outcome opened(StageAccess access, int threads) throws StageException, IOException {
        try (Stage stage = access.open(at.name(), access.opener(CALLS), threads)) {
            List<String> hosts = NodeFiles.hosts(stage);
            String here = NodeFiles.nameAmong(hosts, Host.nameOr("localhost"));
            if (at.node().isPresent() || hosts.equals(List.of(here))) {
                return run(stage, at.node().orElse(here), threads);
            }
            of.input().entries.silence();
            return elsewhere(hosts, here);
        }
    }

    private Outcome elsewhere(List<String> hosts, String here) throws IOException {
        NodeLaunch launch = new NodeLaunch(of.input().common, session, listener, hosts, here);
        Launcher launcher = at.launcher()
                .orElseThrow(() -> of.input().common.usage("the stage " + at.name() + " has servers on "
                        + String.join(", ", hosts.stream().map(ByteString::printable).toList())
                        + ": name a program that starts the work on a node, such as --launch 'ssh {host}'"));
        if (at.passesInput()) {
            return launch.run(launcher);
        }
        try (StopFile stop = StopFile.make(of.input().entries.stateDirectory())) {
            return launch.run(launcher, Optional.of(stop));
        }
    }

    private Outcome run(Stage stage, String node, int threads) throws StageException, IOException {
        try (NodeFiles files = NodeFiles.open(CALLS, stage, node, ScratchDirectory.parent().toAbsolutePath());
                TaskOutputs outputs = of.outputs(session, listener);
                TaskRunner runner = TaskRunner.open(CALLS, of.task(), true)) {
            session.beforeHalt(runner::kill);
            List<NodeFile> all = list(stage, files);
            RunTask.LocalRun run = new RunTask.LocalRun(of, session, listener, runner, outputs, stop,
                    (group, command) -> named(files, all.get(Math.toIntExact(group.number())), group, command));
            Iterator<NodeFile> left = all.iterator();
            long[] number = new long[1];
            ParallelLoop.<TaskWalk.Group>each(
                    () -> stop.isCancelled() || !left.hasNext() ? null : group(left.next(), number[0]++), threads,
                    () -> new Worker(run));
            files.end()
                    .ifPresent(directory -> session.screen()
                            .note("the commands have left files in " + directory
                                    + ": move what you need, and remove it"));
            return new Outcome(session.progress().snapshot(), !left.hasNext() && !stop.isCancelled());
        }
    }

    private record Worker(RunTask.LocalRun run) implements ParallelLoop.Worker<TaskWalk.Group> {
        @Override
        public void process(TaskWalk.Group item) {
            run.run(item);
        }

        @Override
        public void close() {}
    }

    // As a whole, so that no query of the catalogue stays open while commands run.
    private List<NodeFile> list(Stage stage, NodeFiles files) throws StageException {
        FileQuery where = of.input().where();
        List<NodeFile> all = new ArrayList<>();
        List<ByteString> paths = at.paths(of.input().entries.operands());
        Set<ByteString> outermost = new HashSet<>(StagedPath.outermost(paths));
        for (ByteString path : paths) {
            // The files of a path below another one, or equal to it, belong to that one.
            boolean isAny = outermost.remove(path)
                    ? files.list(path, of.task().segments().isByLayout(), file -> where.matches(new StagedValues(file)),
                            all::add)
                    : stage.catalogue().isAnythingAt(path);
            if (!isAny && path.length() > 0) {
                throw new StageException(shown(path).toString(), "there is no such entry in the stage", 0);
            }
        }
        return all;
    }

    private ByteString shown(ByteString path) {
        return ByteString.of(at.name() + ":").plus(path);
    }

    private TaskWalk.Group group(NodeFile file, long number) {
        StagedFile staged = file.file();
        Segment segment = !of.task().segments().divides()
                ? null
                : new Segment(Math.max(0, file.segment()), staged.segments(), file.offset(), file.length());
        return new TaskWalk.Group(number,
                List.of(new TaskWalk.Found(shown(staged.path()), TreePath.root(), EntryKind.REGULAR, segment)));
    }

    private static TaskEnd named(NodeFiles files, NodeFile file, TaskWalk.Group group,
            Function<TaskInput, TaskEnd> command) throws SystemCallException {
        try (NodeFiles.Name name = files.name(file)) {
            return command.apply(new TaskInput(name.path(), group.entries().getFirst().segment()));
        } catch (StageException e) {
            throw new SystemCallException(e.operation(), e.errno());
        }
    }
}
