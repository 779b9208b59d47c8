// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;
import java.util.Set;

import org.treehaul.core.entry.ByteString;

/**
 * What was found in a directory, or a part of it.
 *
 * @param directory its whole path
 * @param entries what was found and not handed on before
 * @param earlier the names that were handed on before
 * @param isWhole whether nothing else stands there
 */
record Listing(ByteString directory, List<FileTuple> entries, Set<ByteString> earlier, boolean isWhole) {}
