// SPDX-License-Identifier: Apache-2.0
/** Tests of copies between stores. */
@NullMarked
package org.treehaul.core.copy.store;

import org.jspecify.annotations.NullMarked;
