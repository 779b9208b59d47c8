// SPDX-License-Identifier: Apache-2.0
/**
 * Files with several names in two trees that are compared.
 *
 * <p>
 * In: the pairs of such files, and the results for their data. Out: the paths that are linked differently; the results
 * for the other names, whose data need not be read.
 */
@Internal
@NullMarked
package org.treehaul.core.compare.links;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
