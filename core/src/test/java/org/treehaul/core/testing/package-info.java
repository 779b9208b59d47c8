// SPDX-License-Identifier: Apache-2.0
/**
 * Fixtures for the tests of every module: trees that are hard to copy, and a look at a tree that shares no code with
 * what it checks.
 *
 * <p>
 * In: a directory and the calls to make and read files with. Out: trees ({@link org.treehaul.core.testing.HostileTree},
 * {@link org.treehaul.core.testing.RandomTree}) and what stands in them
 * ({@link org.treehaul.core.testing.TreeListing}).
 */
@NullMarked
package org.treehaul.core.testing;

import org.jspecify.annotations.NullMarked;
