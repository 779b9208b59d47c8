// SPDX-License-Identifier: Apache-2.0
/**
 * Finishing of a transfer: gives large files their names and directories their metadata, retries entries that could not
 * be planned or that changed their kind, and records the result. {@link Finishing} is the entry point.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer.finish;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
