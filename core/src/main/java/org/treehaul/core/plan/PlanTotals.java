// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

/**
 * What a sealed plan holds in all.
 *
 * @param entries lines of all manifests: names and chunks
 * @param files regular files
 * @param bytes bytes to copy
 * @param directories directories
 * @param chunked files in chunks
 * @param failures entries that could not be planned
 */
public record PlanTotals(long entries, long files, long bytes, long directories, long chunked, long failures) {}
