// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.task;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.SystemCallException;

/** Opens the files for the outputs of tasks. Safe for any number of threads. */
public interface TaskOutputs extends AutoCloseable {

    /**
     * Opens the files of a task.
     *
     * @param number the place of the task in the order, from 0; each number is used once
     * @param label the number for names of files, of the same length for all tasks
     * @param path the path of the entry, or of the first of several
     * @throws SystemCallException if a file cannot be made
     */
    Opened open(long number, String label, ByteString path) throws SystemCallException;

    @Override
    void close();

    /**
     * The files of a task. Used by one thread.
     *
     * @param out the descriptor for standard output
     * @param err the descriptor for standard error
     * @param atEnd closes them, and handles what they contain
     */
    record Opened(int out, int err, End atEnd) {

        /**
         * Ends the outputs: the task has ended, or did not begin. Must be called once.
         *
         * @throws SystemCallException if what the task has written may be lost; the files are closed
         */
        public void end() throws SystemCallException {
            atEnd.end();
        }
    }

    /** Ends the outputs of a task. */
    @FunctionalInterface
    interface End {

        /** Closes the files, and handles what they contain. */
        void end() throws SystemCallException;
    }
}
