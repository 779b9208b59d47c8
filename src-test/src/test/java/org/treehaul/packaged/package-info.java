// SPDX-License-Identifier: Apache-2.0
/** The executable jar and the script, as a user meets them. */
@NullMarked
package org.treehaul.packaged;

import org.jspecify.annotations.NullMarked;
