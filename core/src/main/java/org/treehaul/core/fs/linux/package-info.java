// SPDX-License-Identifier: Apache-2.0
/**
 * The system calls of Linux, made by downcalls of {@code java.lang.foreign}. No other package makes downcalls.
 *
 * <p>
 * In: the methods of {@link org.treehaul.core.fs.FileSystemCalls}. Out: the kernel's results, through the C library.
 * {@link org.treehaul.core.fs.linux.Linux#calls()} is the entry point; {@link org.treehaul.core.fs.linux.ServerView}
 * uses these calls to bypass the kernel's cache of a network file system.
 */
@Api
@NullMarked
package org.treehaul.core.fs.linux;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
