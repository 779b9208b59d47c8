// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan.format;

import org.treehaul.core.entry.TreePath;

/**
 * A source directory on the way to a listed path that planning reached through a symbolic link: the copy follows a link
 * only there.
 *
 * @param root the index of its root in the header
 * @param path its path below that root
 */
public record PlannedFollow(int root, TreePath path) {}
