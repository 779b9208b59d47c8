// SPDX-License-Identifier: Apache-2.0
/**
 * The HTML page of a transfer: its attempts, its time line, how evenly the work was spread, and its failures.
 *
 * <p>
 * In: the status, the attempts and the failures of a transfer. Out: one file that needs no other, nor scripts.
 */
@Internal
@NullMarked
package org.treehaul.cli.page;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
