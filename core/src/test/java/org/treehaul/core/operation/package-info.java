// SPDX-License-Identifier: Apache-2.0
/** Tests of operations on single entries. */
@NullMarked
package org.treehaul.core.operation;

import org.jspecify.annotations.NullMarked;
