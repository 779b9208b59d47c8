// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.sync;

/** Receives the changes of a run, in no defined order, on any thread. */
@FunctionalInterface
public interface ChangeListener {

    /**
     * Receives a change before it is made; a dry run reports the same changes. A removal is not made if the run is
     * cancelled during this call.
     */
    void onChange(Change change);
}
