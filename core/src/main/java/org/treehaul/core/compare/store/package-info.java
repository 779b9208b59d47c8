// SPDX-License-Identifier: Apache-2.0
/**
 * Compares trees of any two stores through the interfaces of {@code core.storage} alone. Between two trees of the
 * operating system, {@link org.treehaul.core.compare.TreeComparer} does the same with descriptors and with all options.
 */
@Internal
@NullMarked
package org.treehaul.core.compare.store;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
