// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/**
 * A source that cannot be copied, as it is not there, or no directory where one is needed, or the other way round.
 *
 * @param source the root that it is in, or is
 * @param target where the copy of that would go
 * @param path where it stands below the root
 * @param failure what went wrong, with the source as the user named it
 */
public record UnplacedSource(ByteString source, ByteString target, TreePath path, EntryFailure failure) {}
