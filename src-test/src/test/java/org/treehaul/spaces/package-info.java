// SPDX-License-Identifier: Apache-2.0
/** The tuple space beside others of its kind: Outrigger as an oracle of what JavaSpaces do. */
@NullMarked
package org.treehaul.spaces;

import org.jspecify.annotations.NullMarked;
