// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.plan.format.PlanTotals;

/**
 * The result of planning.
 *
 * @param isComplete whether the plan is sealed; false if planning was cancelled
 * @param batches number of batches
 * @param totals the totals; all 0 if planning was cancelled
 */
public record PlanSummary(boolean isComplete, int batches, PlanTotals totals) {}
