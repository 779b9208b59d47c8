// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

/**
 * Hears differences as they are found, in no stated order. Called on the threads that do the work, several at once, so
 * it must be quick and safe for that.
 */
@FunctionalInterface
public interface DifferenceListener {

    /** Hears one difference. */
    void onDifference(Difference difference);
}
