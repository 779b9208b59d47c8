// SPDX-License-Identifier: Apache-2.0
/**
 * The system calls of Linux, made by downcalls of {@code java.lang.foreign}. No other package makes any.
 *
 * <p>
 * In: what {@link org.treehaul.core.fs.FileSystemCalls} is asked for. Out: the kernel's answers, through the C library.
 * {@link org.treehaul.core.fs.linux.Linux#calls()} is the only way in.
 */
@NullMarked
package org.treehaul.core.fs.linux;

import org.jspecify.annotations.NullMarked;
