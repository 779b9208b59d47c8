// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.copy.target;

import java.util.List;
import java.util.Map;

import org.treehaul.core.entry.ByteString;

/**
 * How a directory at the destination compares names.
 *
 * @param folds whether it considers names equal that differ in case
 * @param twins the names in the source that it may consider equal, by their folded form
 */
record NameMatching(boolean folds, Map<String, List<ByteString>> twins) {}
