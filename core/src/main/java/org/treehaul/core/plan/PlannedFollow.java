// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.plan;

import org.treehaul.core.entry.TreePath;

/**
 * A directory of a source on the way to what was listed, that was reached through a symbolic link: only there is one
 * followed again.
 *
 * @param root its root's place in the header
 * @param path where it stands below that
 */
public record PlannedFollow(int root, TreePath path) {}
