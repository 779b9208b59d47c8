// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

/**
 * The totals of a sealed plan.
 *
 * @param entries entries of all manifests: names and chunks
 * @param files regular files
 * @param bytes bytes to copy
 * @param data how many of these bytes must be read: all but holes
 * @param directories directories
 * @param chunked files in chunks
 * @param failures entries that could not be planned
 */
public record PlanTotals(long entries, long files, long bytes, long data, long directories, long chunked,
        long failures) {}
