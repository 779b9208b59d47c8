// SPDX-License-Identifier: Apache-2.0
/**
 * The written plan: its files, and the records that executors read (docs/guide/plan-format.md).
 *
 * <p>
 * In: records from the planner. Out: {@link org.treehaul.core.plan.format.Plan} and its entries, checked against their
 * checksums. The readers and the record types are API; the writers and the classes of single files are public only for
 * the planner.
 */
@Internal
@NullMarked
package org.treehaul.core.plan.format;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
