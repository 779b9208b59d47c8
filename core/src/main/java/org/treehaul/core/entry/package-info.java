// SPDX-License-Identifier: Apache-2.0
/**
 * What stands in a tree: byte-exact names and paths, the status of a file, and the entry that joins them.
 *
 * <p>
 * In: bytes and numbers as the kernel gives them. Out: immutable values that every other package hands on. Nothing here
 * calls the system.
 */
@NullMarked
package org.treehaul.core.entry;

import org.jspecify.annotations.NullMarked;
