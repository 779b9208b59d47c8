// SPDX-License-Identifier: Apache-2.0
/**
 * Commands that plan and start copies and checks, in this process, by ranks or by jobs: {@code cp}, {@code plan},
 * {@code show}, {@code resume}, {@code verify} and the planner that jobs run.
 *
 * <p>
 * In: the options of GNU cp and of jobs. Out: calls of {@code core.copy}, {@code core.plan}, {@code core.transfer} and
 * {@code schedulers}.
 */
@NullMarked
package org.treehaul.cli.copy;

import org.jspecify.annotations.NullMarked;
