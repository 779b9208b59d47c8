// SPDX-License-Identifier: Apache-2.0
/**
 * Shows the work of ranks as tables and pictures: the figures of LaFon et al., <i>On Distributed File Tree Walk of
 * Parallel File Systems</i>, drawn from a run.
 *
 * <p>
 * In: a {@link org.treehaul.strategies.ranks.RankReport} of each rank. Out: the text of files, CSV (RFC 4180) and SVG
 * 1.1.
 */
@Api
@NullMarked
package org.treehaul.strategies.ranks.profile;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
