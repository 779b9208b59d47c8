// SPDX-License-Identifier: Apache-2.0
/**
 * Copies regular files: small ones with the fewest system calls, large ones in chunks by several threads.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.file;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
