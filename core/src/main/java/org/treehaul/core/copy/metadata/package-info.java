// SPDX-License-Identifier: Apache-2.0
/**
 * Copies metadata (owner, mode, ACLs, extended attributes, times) in an order in which no user ever has more access
 * than before and after.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.metadata;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
