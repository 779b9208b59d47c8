// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * How planning ended.
 *
 * @param isComplete whether the plan is sealed; false when it was cancelled
 * @param batches number of batches
 * @param totals the sums
 */
public record PlanSummary(boolean isComplete, int batches, PlanTotals totals) {}
