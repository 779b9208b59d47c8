// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

/**
 * Receives differences as they are found, in no defined order. Called on the threads that do the work, several at once,
 * so it must be quick and thread-safe.
 */
@FunctionalInterface
public interface DifferenceListener {

    /** Receives one difference. */
    void onDifference(Difference difference);
}
