// SPDX-License-Identifier: Apache-2.0
/** Tests of the file layer, and a store over a plain map of bytes. */
@NullMarked
package org.treehaul.core.storage;

import org.jspecify.annotations.NullMarked;
