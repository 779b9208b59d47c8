// SPDX-License-Identifier: Apache-2.0
/**
 * Measures how time and memory grow with the number of entries ({@link org.treehaul.bench.growth.Growth} is the
 * command).
 *
 * <p>
 * In: numbers of entries. Out: a report in Markdown and pictures. The entries need no disk: {@code GeneratedCalls} is a
 * file layer that computes a source tree and discards what is copied from it. A {@code GrowthStep} is one operation in
 * a process of its own; the {@code GrowthReport} has the growth of each from number to number.
 */
@NullMarked
package org.treehaul.bench.growth;

import org.jspecify.annotations.NullMarked;
