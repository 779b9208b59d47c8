// SPDX-License-Identifier: Apache-2.0
/**
 * Access to files: every system call goes through {@link org.treehaul.core.fs.FileSystemCalls}.
 *
 * <p>
 * In: descriptors, names as native bytes, buffers. Out: the kernel's results, as {@code -errno} at the lowest level and
 * as {@link org.treehaul.core.fs.SystemCallException} from {@link org.treehaul.core.fs.FileAccess} upwards. The Linux
 * implementation is in {@code fs.linux}; {@link org.treehaul.core.fs.InterceptedCalls} is the base of all decorators.
 */
@Internal
@NullMarked
package org.treehaul.core.fs;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
