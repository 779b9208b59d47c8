// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.compare;

/** One of the two trees. */
enum Side {
    /** The first. */
    A,
    /** The second. */
    B
}
