// SPDX-License-Identifier: Apache-2.0
/**
 * Copies trees between any two stores through the interfaces of {@code core.storage} alone: the threads, the order of
 * directories, retries and reports. Data are copied by {@code core.copy.data}, as for every other copy.
 *
 * <p>
 * Between two trees of the operating system, {@link org.treehaul.core.copy.TreeCopier} does the same with descriptors
 * and with all options.
 */
@Internal
@NullMarked
package org.treehaul.core.copy.store;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
