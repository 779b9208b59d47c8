// SPDX-License-Identifier: Apache-2.0
/**
 * Transfers as HTML pages: what a transfer did, when, how evenly, and what failed.
 *
 * <p>
 * In: the status, the attempts and the failures of a transfer. Out: one file that needs no other, nor scripts.
 */
@Internal
@NullMarked
package org.treehaul.cli.page;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
