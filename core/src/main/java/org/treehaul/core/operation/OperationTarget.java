// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.operation;

import java.lang.foreign.MemorySegment;

import org.treehaul.core.entry.Identity;
import org.treehaul.core.fs.FileAccess;

/**
 * An entry that an operation is performed on. Valid only during the call.
 *
 * @param access file access for the calling thread
 * @param directory the descriptor against which the name is resolved
 * @param name the name, NUL-ended; for a root, its path
 * @param planned the identity that the entry must have
 */
public record OperationTarget(FileAccess access, int directory, MemorySegment name, Identity planned) {}
