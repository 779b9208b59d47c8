// SPDX-License-Identifier: Apache-2.0
/** Tests of what a copy, a walk and a comparison do when the world around them fails, changes or means ill. */
@NullMarked
package org.treehaul.trust;

import org.jspecify.annotations.NullMarked;
