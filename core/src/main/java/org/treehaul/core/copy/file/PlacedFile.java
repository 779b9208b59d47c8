// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.file;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.target.Placement;
import org.treehaul.core.entry.FileStatus;

/**
 * A file being written, and the file that it replaces or that is written through to.
 *
 * @param existing the status of the existing entry under the final name, or null for a new name; if the entry is a link
 *        that is written through, the status of its target
 * @param isThroughLink whether the entry is such a link
 */
public record PlacedFile(Placement placement, @Nullable FileStatus existing, boolean isThroughLink) {}
