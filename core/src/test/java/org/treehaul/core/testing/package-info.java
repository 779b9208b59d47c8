// SPDX-License-Identifier: Apache-2.0
/**
 * Fixtures for the tests of every module: trees that are hard to copy, and a listing that shares no code with the
 * program under test.
 *
 * <p>
 * In: a directory, and the calls to create and read files with. Out: trees
 * ({@link org.treehaul.core.testing.HostileTree}, {@link org.treehaul.core.testing.RandomTree}) and their entries
 * ({@link org.treehaul.core.testing.TreeListing}).
 */
@NullMarked
package org.treehaul.core.testing;

import org.jspecify.annotations.NullMarked;
