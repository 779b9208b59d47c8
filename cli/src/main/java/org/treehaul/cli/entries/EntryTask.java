// SPDX-License-Identifier: Apache-2.0
package org.treehaul.cli.entries;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.treehaul.cli.common.Session;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.JobOptions;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** The operation of a command on single entries. */
public interface EntryTask {

    /** The counts of the work in this process, and whether every entry was tried. */
    record Outcome(Progress.Snapshot counts, boolean isComplete) {}

    /** Returns a noun for the work of jobs, such as {@code a removal}. */
    String noun();

    /** Returns the past participle for messages, such as {@code removed}. */
    String participle();

    /** Checks conditions that the option types cannot express. Does nothing by default. */
    default void check() {}

    /**
     * Returns the number of batches for each job, unless the user gives one.
     *
     * @param jobs the number of jobs
     */
    default int batchesPerJob(int jobs) {
        return PlanRequest.BATCHES_PER_JOB;
    }

    /** Returns the options of the jobs: those given, unless the operation needs others. */
    default JobOptions jobs(JobOptions given) {
        return given;
    }

    /** Returns whether the work may begin, which a user may be asked. */
    default boolean mayBegin() {
        return true;
    }

    /** Returns the operation of jobs and ranks in separate processes. */
    Operation.OnEntries operation();

    /** Returns the jars that provide the operation, if it is not one of TreeHaul. */
    default List<Path> jars() {
        return List.of();
    }

    /** Returns the options by which jobs and ranks in separate processes walk the trees. */
    WalkOptions walk();

    /** Returns the operands that jobs or ranks can process; the listener receives the others. */
    List<Root> roots(EventListener listener, Progress progress);

    /**
     * Does what remains to be done here when the jobs have ended, for which the user waits. Does nothing by default.
     *
     * @throws IOException if the state of the transfer cannot be read
     */
    default void ended(TransferDirectory transfer, Session session) throws IOException {}

    /** Performs the operation in this process. */
    Outcome perform(EventListener listener, Session session);
}
