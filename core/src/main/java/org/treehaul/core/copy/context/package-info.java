// SPDX-License-Identifier: Apache-2.0
/**
 * Settings and shared parts of one copy, and the tools of each thread that are built from them.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.context;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
