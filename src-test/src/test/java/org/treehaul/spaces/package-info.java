// SPDX-License-Identifier: Apache-2.0
/** The tuple space beside others of its kind: Outrigger as an oracle for the behaviour of JavaSpaces. */
@NullMarked
package org.treehaul.spaces;

import org.jspecify.annotations.NullMarked;
