// SPDX-License-Identifier: Apache-2.0
/** Tests of the summaries of transfers. */
@NullMarked
package org.treehaul.cli.transfer;

import org.jspecify.annotations.NullMarked;
