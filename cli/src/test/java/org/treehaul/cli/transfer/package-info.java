// SPDX-License-Identifier: Apache-2.0
/** Tests of what goes out. */
@NullMarked
package org.treehaul.cli.transfer;

import org.jspecify.annotations.NullMarked;
