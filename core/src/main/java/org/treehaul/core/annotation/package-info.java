// SPDX-License-Identifier: Apache-2.0
/** Marks of the packages, types and members that programs may use, and of those that they may not. */
@Api
@NullMarked
package org.treehaul.core.annotation;

import org.jspecify.annotations.NullMarked;
