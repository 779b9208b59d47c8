// SPDX-License-Identifier: Apache-2.0
/**
 * Measures the speed of TreeHaul side by side with other tools ({@link org.treehaul.bench.Bench} is the command), two
 * builds of TreeHaul with each other ({@link org.treehaul.bench.Guard}), and the evenness of the batches of copies by
 * jobs ({@link org.treehaul.bench.Balance}).
 *
 * <p>
 * In: directories to work in, the tools found on the PATH. Out: a report in Markdown, the single measurements as CSV. A
 * {@code Scenario} names a {@code DataSet} and the {@code Tool}s; a {@code Race} runs them in turn through a
 * {@code Meter}; each {@code Outcome} goes to the {@code Report}. {@code Balance} plans and copies a {@code ThesisSet}
 * by jobs in a {@code JobRig}; the {@code BalanceReport} compares each {@code PlanRun} and {@code JobRun} with the
 * {@code ThesisRuns}.
 */
@NullMarked
package org.treehaul.bench;

import org.jspecify.annotations.NullMarked;
