// SPDX-License-Identifier: Apache-2.0
/**
 * Tests pools whose workers are on hosts of their own, which are killed, stopped and cut off, and pools without room or
 * with a server that fails over.
 */
@NullMarked
package org.treehaul.pool;

import org.jspecify.annotations.NullMarked;
