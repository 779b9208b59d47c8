// SPDX-License-Identifier: Apache-2.0
/** Tests of the copy. */
@NullMarked
package org.treehaul.core.copy;

import org.jspecify.annotations.NullMarked;
