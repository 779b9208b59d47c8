// SPDX-License-Identifier: Apache-2.0
@NullMarked
package org.treehaul.core.move;

import org.jspecify.annotations.NullMarked;
