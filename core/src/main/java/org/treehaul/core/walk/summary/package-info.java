// SPDX-License-Identifier: Apache-2.0
/**
 * Counts of a tree: entries by kind, sizes and blocks, in total or for each directory, with each inode counted once.
 *
 * <p>
 * In: roots and a walker. Out: a summary. It is built on the walk as any other handler is.
 */
@Api
@NullMarked
package org.treehaul.core.walk.summary;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
