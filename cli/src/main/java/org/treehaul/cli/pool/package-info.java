// SPDX-License-Identifier: Apache-2.0
/**
 * Pools of workers: reports about them, and the process in which a worker of root carries out the transfer of a user.
 *
 * <p>
 * In: the address of a pool's space, or the orders of a worker on standard input. Out: the content of the pool, for
 * people and for programs, or the answers for the worker.
 */
@NullMarked
package org.treehaul.cli.pool;

import org.jspecify.annotations.NullMarked;
