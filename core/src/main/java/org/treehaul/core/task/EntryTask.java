// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import java.io.OutputStream;
import java.util.Optional;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.ByteString;

/**
 * The work of a Java class on single entries, in place of a command. It must be safe for any number of threads. An
 * entry may be handled again by a later process after a failure or a kill.
 */
@Api
@FunctionalInterface
public interface EntryTask {

    /**
     * An entry to handle.
     *
     * @param path the path; it may be relative to the working directory of the process
     * @param segment the range to handle, if files are divided; of an entry that is not a regular file the length is 0
     * @param out takes what the user sees as standard output, until the task ends; the task need not close it
     * @param err takes what the user sees as standard error, until the task ends; the task need not close it
     */
    record Input(ByteString path, Optional<Segment> segment, OutputStream out, OutputStream err) {}

    /**
     * Handles an entry, on the thread of the caller. When its time is over, or all work is to end, that thread is
     * interrupted; a task that does not react to that is waited for.
     *
     * @throws Exception the failure of this entry, which is reported by at most 1,000 characters of its text; the work
     *         continues with others. If it is a {@link RuntimeException} or an error, the stack trace is written to the
     *         standard error of the entry. A {@link VirtualMachineError} such as that of a full heap ends the process
     */
    void run(Input input) throws Exception;
}
