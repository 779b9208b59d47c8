// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;

/**
 * An entry that is the same on every node that sees the same source: a worker uses it to detect a node on which the
 * source is not mounted.
 *
 * @param root the index of its root in the header
 * @param path its path below that root
 * @param kind its kind
 * @param inode its inode number, unsigned 64 bits
 * @param size its size in bytes, 0 for a directory
 */
public record PlannedProbe(int root, TreePath path, EntryKind kind, long inode, long size) {}
