// SPDX-License-Identifier: Apache-2.0
/**
 * How fast TreeHaul is, side by side with other tools ({@link org.treehaul.bench.Bench} is the command), and how even
 * the batches of copies by jobs are ({@link org.treehaul.bench.Balance}).
 *
 * <p>
 * In: directories to work in, the tools found on the PATH. Out: a report in Markdown, the single measurements as CSV. A
 * {@code Scenario} names a {@code DataSet} and the {@code Tool}s; a {@code Race} runs them in turns through a
 * {@code Meter}; {@code Results} go to the {@code Report}. {@code Balance} plans and copies a {@code ThesisSet} by jobs
 * in a {@code JobRig}; the {@code BalanceReport} sets what each {@code PlanRun} and {@code JobRun} was beside the
 * {@code ThesisRuns}.
 */
@NullMarked
package org.treehaul.bench;

import org.jspecify.annotations.NullMarked;
