// SPDX-License-Identifier: Apache-2.0
/** Part of a house built to break the rules. */
@Internal
@NullMarked
package org.treehaul.arch.bad.schedulers;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
