// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.entry.TreePath;

/**
 * Something that whoever sees the same source sees too: with it a worker tells a node on which the source is not
 * mounted.
 *
 * @param root its root's place in the header
 * @param path where it stands below that root
 * @param kind its kind
 * @param inode its inode number, unsigned 64 bits
 * @param size its bytes, 0 for a directory
 */
public record PlannedProbe(int root, TreePath path, EntryKind kind, long inode, long size) {}
