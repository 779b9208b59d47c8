// SPDX-License-Identifier: Apache-2.0
/** Tests of state files. */
@NullMarked
package org.treehaul.core.state;

import org.jspecify.annotations.NullMarked;
