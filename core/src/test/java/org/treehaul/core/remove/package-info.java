// SPDX-License-Identifier: Apache-2.0
/** Tests of the removal of trees. */
@NullMarked
package org.treehaul.core.remove;

import org.jspecify.annotations.NullMarked;
