// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.find;

import java.io.IOException;
import java.util.List;
import java.util.function.Supplier;

import org.treehaul.cli.common.ExitCode;
import org.treehaul.cli.common.Session;
import org.treehaul.cli.report.Output;
import org.treehaul.core.walk.options.Root;

/**
 * A run of {@code find}.
 *
 * @param endsWithNul whether each path ends with NUL
 */
record FindRun(Session session, Source source, FindOptions find, boolean endsWithNul) {

    /** The entries that are searched. */
    interface Source {

        /** Returns the roots. */
        List<Root> roots();

        /**
         * Lists entries, and returns whether all wanted ones were found.
         *
         * @param output the output to which the sinks write; the list ends when it has no reader
         * @param sinks makes a sink for each thread
         * @param limit the most entries to list
         */
        boolean list(Output output, Supplier<EntrySink> sinks, long limit);
    }

    /** Prints the entries, or runs the command, and returns the exit code. */
    int code() {
        RunCommand command = find.toRun();
        return command == null ? print() : run(command);
    }

    private int print() {
        PrintFormat format = find.format(session.escapes());
        Supplier<EntrySink> sinks = () -> format == null
                ? EntrySink.of(session, endsWithNul)
                : new FormatSink(session.output(), format, source.roots());
        boolean isComplete = source.list(session.output(), sinks, find.limit);
        return ended(isComplete && !session.output().isReaderGone()).code();
    }

    private int run(RunCommand command) {
        try {
            RunCommand.Running running = command.start();
            Output paths = Output.to(running.paths());
            boolean isComplete = source.list(paths, () -> new EntrySink.Paths(paths, true, false), find.limit);
            paths.flush();
            String problem = running.end();
            // Ctrl-C also ends the command, which is no problem of its own.
            ExitCode code = ended(problem.isEmpty() ? isComplete : !session.cancellation().isCancelled());
            if (problem.isEmpty()) {
                return code.code();
            }
            session.screen().error(problem);
            return code == ExitCode.DONE ? ExitCode.PARTIAL.code() : code.code();
        } catch (IOException e) {
            session.screen().error("cannot start bash, which runs the command: " + e.getMessage());
            return ExitCode.TROUBLE.code();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return ExitCode.INTERRUPTED.code();
        }
    }

    private ExitCode ended(boolean isComplete) {
        session.summarize(session.progress().snapshot(), isComplete);
        session.flush();
        return session.end(session.problems().counts(), isComplete).ifAny(session.progress().snapshot().entries());
    }
}
