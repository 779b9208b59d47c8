// SPDX-License-Identifier: Apache-2.0
/**
 * The store in memory.
 * <p>
 * Comes in and goes out: what {@code tuplespace.store} says; copies, so that nobody's later change of an array shows.
 */
@NullMarked
package org.treehaul.tuplespace.memory;

import org.jspecify.annotations.NullMarked;
