// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.fs.SystemCallException;

/**
 * A part of an entry's work that any thread of the walk may do.
 *
 * @param <D> what the handler attaches to each directory
 */
@FunctionalInterface
public interface ForkedTask<D> {

    /**
     * Does the part, once, on the thread of the worker.
     *
     * @throws SystemCallException reported as the failure of the directory that the task was forked in
     */
    void run(WalkWorker<D> worker) throws SystemCallException;
}
