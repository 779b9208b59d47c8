// SPDX-License-Identifier: Apache-2.0
/**
 * Finds the scheduler that the user names, or the one that this machine has.
 * <p>
 * Input: a name and an environment. Output: a {@link org.treehaul.schedulers.Scheduler}. Knows the providers of
 * TreeHaul, one in each package of a scheduler, and those that other jars add.
 */
@Api
@NullMarked
package org.treehaul.schedulers.discovery;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
