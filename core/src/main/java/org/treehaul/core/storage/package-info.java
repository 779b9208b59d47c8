// SPDX-License-Identifier: Apache-2.0
/**
 * Files as a copy sees them, independent of the system that stores them. A {@link org.treehaul.core.storage.SourceFile}
 * is read and a {@link org.treehaul.core.storage.TargetFile} is written; {@link org.treehaul.core.storage.PosixFile} is
 * both, for file systems of the operating system.
 *
 * <p>
 * Offsets and sizes are in bytes and never negative. Buffers are native segments that the caller keeps until the call
 * returns. Each failure is a {@link org.treehaul.core.fs.SystemCallException} with the name of the operation and an
 * error number of Linux, whatever the store: the rules for retries, reports and exit codes depend on that number.
 */
@Internal
@NullMarked
package org.treehaul.core.storage;

import org.jspecify.annotations.NullMarked;
import org.treehaul.core.annotation.Internal;
