// SPDX-License-Identifier: Apache-2.0
/** Tests the executable jar and the script as users meet them. */
@NullMarked
package org.treehaul.packaged;

import org.jspecify.annotations.NullMarked;
