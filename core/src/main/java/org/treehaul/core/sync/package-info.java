// SPDX-License-Identifier: Apache-2.0
/**
 * Makes a destination equal to a source, as rsync does: copies what differs, and removes what is gone.
 *
 * <p>
 * In: a source, a destination, options. Out: the changed destination; each change, failures and counts. A run compares
 * both trees first, and keeps what differs in files; then it checks whether the removals are plausible; only then it
 * changes anything. {@link org.treehaul.core.sync.TreeSync} is the entry point.
 */
@Api
@NullMarked
package org.treehaul.core.sync;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
