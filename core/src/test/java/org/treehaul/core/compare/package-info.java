// SPDX-License-Identifier: Apache-2.0
/** Tests of the comparison of trees. */
@NullMarked
package org.treehaul.core.compare;

import org.jspecify.annotations.NullMarked;
