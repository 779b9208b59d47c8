// SPDX-License-Identifier: Apache-2.0
/**
 * The journals of a transfer: their format, and the outcomes of entries that they record.
 *
 * <p>
 * Each attempt at a batch, and each attempt at finishing, has a journal that only one process writes. A journal is
 * valid up to the first damaged byte.
 */
@Internal
@NullMarked
package org.treehaul.core.transfer.journal;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
