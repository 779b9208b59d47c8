// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/** Takes down which batch an item goes into. */
@FunctionalInterface
public interface BatchAssignment {

    /** Puts an item into a batch; the last call for an item counts. */
    void set(long item, int batch);
}
