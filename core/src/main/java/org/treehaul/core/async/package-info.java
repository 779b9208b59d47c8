// SPDX-License-Identifier: Apache-2.0
/**
 * Asynchronous files (Yang, PXFS 3.2): each operation with a future, with a callback, and synchronous.
 *
 * <p>
 * In: paths, and {@link org.treehaul.core.async.IoBuffer}s. Out: the numbers of bytes that were read or written, or an
 * {@link org.treehaul.core.async.AsyncFileException}. {@link org.treehaul.core.async.AsyncFiles#open()} is the entry
 * point. Local files are read and written by io_uring where the kernel allows it, otherwise by a pool of threads.
 */
@Api
@NullMarked
package org.treehaul.core.async;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Api;
