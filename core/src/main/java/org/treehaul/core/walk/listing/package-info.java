// SPDX-License-Identifier: Apache-2.0
/**
 * The entries of one directory as bytes, so that a walk needs no object for each: as the kernel lists them, and as a
 * selection names them.
 */
@Internal
@NullMarked
package org.treehaul.core.walk.listing;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
