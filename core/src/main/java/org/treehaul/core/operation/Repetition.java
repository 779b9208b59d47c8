// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import org.treehaul.core.annotation.Api;

/**
 * The property of an operation that makes it safe to process an entry twice: after a kill, after a takeover, and by a
 * late worker whose batch another worker has claimed. It determines the checks of the engine. In each case, a worker
 * whose lease has lapsed begins no entry.
 */
@Api
public enum Repetition {

    /**
     * A second attempt writes the same again. The entry is compared with the plan by kind only. A late worker may
     * complete what it has begun as long as no other attempt can have started on the batch.
     */
    IDEMPOTENT,

    /**
     * The operation only reads the trees: each call that would change something fails. The entry is compared with the
     * plan by kind only.
     */
    READ_ONLY,

    /**
     * A second attempt could destroy what a user has created since. Directly before the operation the entry is compared
     * with the plan by device, inode, kind and, except for directories, ctime; directories whose mode or owner is to be
     * changed are compared by these. One that differs is reported as changed and left alone, unless
     * {@link EntryOperation#isDone} says that an attempt that was killed has completed it. A late worker changes
     * nothing more.
     */
    COMPARED_WITH_PLAN
}
