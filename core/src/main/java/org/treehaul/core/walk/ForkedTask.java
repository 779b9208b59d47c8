// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

/**
 * A part of an entry's work that any thread of the walk may do.
 *
 * @param <D> what the handler attaches to each directory
 */
@FunctionalInterface
public interface ForkedTask<D> {

    /** Does the part, once, on the thread of the worker; not at all when the walk was stopped before. */
    void run(WalkWorker<D> worker);
}
