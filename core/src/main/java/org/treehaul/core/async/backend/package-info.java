// SPDX-License-Identifier: Apache-2.0
/**
 * The backends of asynchronous files, which carry out single calls. One for other files than those of the kernel makes
 * them asynchronous, with the order and the bounds of all.
 *
 * <p>
 * In: requests, each with the memory that it needs. Out: their answers, on threads on which callbacks may run.
 */
@Internal
@NullMarked
package org.treehaul.core.async.backend;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
