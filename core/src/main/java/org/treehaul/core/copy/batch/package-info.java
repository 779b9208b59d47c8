// SPDX-License-Identifier: Apache-2.0
/**
 * Copies parts of a transfer: {@link org.treehaul.core.copy.batch.BatchCopier} copies batches of entries and chunks of
 * large files in any number of processes, and {@link org.treehaul.core.copy.batch.TransferFinisher} completes the
 * transfer after all parts are copied.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.batch;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
