// SPDX-License-Identifier: Apache-2.0
/**
 * Reports about pools of workers.
 *
 * <p>
 * In: the address of a pool's space. Out: what the tuples in it say, for people and for programs.
 */
@NullMarked
package org.treehaul.cli.pool;

import org.jspecify.annotations.NullMarked;
