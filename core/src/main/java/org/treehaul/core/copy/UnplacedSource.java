// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/**
 * A source that cannot be copied, because it does not exist, or because it is a directory where none is allowed, or no
 * directory where one is required.
 *
 * @param source the root that contains the source, or the source itself
 * @param target the target of that root
 * @param path path of the source below the root
 * @param failure the failure, with the source as the user gave it
 */
public record UnplacedSource(ByteString source, ByteString target, TreePath path, EntryFailure failure) {}
