// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

/**
 * Receives differences as they are found, in no defined order. Several threads of the comparison may call it at the
 * same time, so an implementation must be quick and thread-safe.
 */
@FunctionalInterface
public interface DifferenceListener {

    /** Receives one difference. */
    void onDifference(Difference difference);
}
