// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files.index;

import java.util.List;

import org.treehaul.core.entry.ByteString;

/**
 * The result of an index run.
 *
 * @param roots absolute paths of the trees that the run read
 * @param generation number of the run, from 1
 * @param entries number of entries seen
 * @param added number of entries new to the index
 * @param changed number of entries that had changed
 * @param removed number of entries that no longer exist
 * @param isComplete whether the run reached its end; if not, the index is unchanged
 * @param losses trees of which more than a tenth is no longer listed; if there are any, and the options do not accept
 *        them, the index is unchanged
 */
public record IndexResult(List<ByteString> roots, long generation, long entries, long added, long changed, long removed,
        boolean isComplete, List<TreeLoss> losses) {

    public IndexResult {
        roots = List.copyOf(roots);
        losses = List.copyOf(losses);
    }
}
