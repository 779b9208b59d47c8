// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.remove;

import org.treehaul.core.entry.ByteString;

/**
 * A file or tree that has left its name and waits for its removal.
 *
 * @param path the path that the user gave
 * @param hidden its path now, in the same directory
 */
public record Detached(ByteString path, ByteString hidden) {}
