// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * A part of an entry's work, which any thread of the walk may run.
 *
 * @param <D> the type of the value that the handler attaches to each directory
 */
@FunctionalInterface
public interface ForkedTask<D> {

    /** Runs the part once, on the worker's thread. Never called when the walk was stopped before. */
    void run(WalkWorker<D> worker);
}
