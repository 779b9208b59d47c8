// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileSystemCalls;

/**
 * An entry that an operation is performed on. Valid only during the call, on its thread.
 *
 * @param calls the system calls for the operation to use; each call that changes something fails with ECANCELED once
 *        this worker may no longer change anything, and always if the operation is declared as
 *        {@link Repetition#READ_ONLY}
 * @param directory the descriptor against which the name is resolved
 * @param name the name, NUL-ended; for a root, its path. Use calls that do not follow symbolic links: others may
 *        exchange the entry at any moment
 * @param status the status of the entry, read directly before the operation
 * @param root the root that contains the entry
 * @param path the path below the root
 */
@Api
public record OperationTarget(FileSystemCalls calls, int directory, MemorySegment name, FileStatus status,
        ByteString root, TreePath path) {}
