// SPDX-License-Identifier: Apache-2.0
/**
 * The values of a tree: byte-exact names and paths, the status of a file, and the entry that combines them.
 *
 * <p>
 * In: bytes and numbers from the kernel. Out: immutable values that all other packages exchange. This package makes no
 * system calls.
 */
@Api
@NullMarked
package org.treehaul.core.entry;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
