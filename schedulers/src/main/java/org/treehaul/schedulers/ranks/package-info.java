// SPDX-License-Identifier: Apache-2.0
/**
 * Ranks over MPJ Express, which is found when the program runs: nothing of it is needed to build, and without it all
 * but this package works.
 *
 * <p>
 * In: a place to look for it. Out: a {@link org.treehaul.strategies.ranks.Transport}.
 */
@NullMarked
package org.treehaul.schedulers.ranks;

import org.jspecify.annotations.NullMarked;
