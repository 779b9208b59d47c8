// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.operation;

/**
 * The property of an operation that makes it safe to process an entry twice: after a kill, after a takeover, and by a
 * late worker whose batch another worker has claimed.
 */
public enum Repetition {

    /**
     * A second attempt writes the same again. A late worker may complete what it has begun as long as no other attempt
     * can have started on the batch.
     */
    IDEMPOTENT,

    /** The operation reads the trees and writes only its journal. */
    READ_ONLY,

    /**
     * A second attempt could destroy what a user has created since. Each attempt compares the entry with the plan
     * directly before it changes it, and begins nothing once its lease has lapsed.
     */
    COMPARED_WITH_PLAN
}
