// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.files;

import java.util.List;

import org.treehaul.core.entry.ByteString;

/**
 * What an index run came to.
 *
 * @param roots the whole paths of the trees that it read
 * @param generation its number, from 1
 * @param entries how many entries it saw
 * @param added how many of them the index did not have
 * @param changed how many it had otherwise
 * @param removed how many it had that are no longer there
 * @param isComplete whether it went on to its end; if not, the index is what it was
 * @param losses trees of which more than a tenth is not listed any more; where there are any, and the options do not
 *        accept that, the index is what it was
 */
public record IndexResult(List<ByteString> roots, long generation, long entries, long added, long changed, long removed,
        boolean isComplete, List<TreeLoss> losses) {

    /** Makes a result. */
    public IndexResult {
        roots = List.copyOf(roots);
        losses = List.copyOf(losses);
    }
}
