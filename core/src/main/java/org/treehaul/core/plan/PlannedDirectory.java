// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import java.util.OptionalInt;

import org.treehaul.core.entry.TreePath;

/**
 * A directory of the transfer, which gets its metadata when all below it is done.
 *
 * @param root its root's place in the header
 * @param path where it stands below that root
 * @param targetMode permissions of the directory that stood at the target when this was planned, nothing where none did
 * @param isIncomplete whether its listing ended in an error, so that more may stand in it than was planned
 */
public record PlannedDirectory(int root, TreePath path, OptionalInt targetMode, boolean isIncomplete) {}
