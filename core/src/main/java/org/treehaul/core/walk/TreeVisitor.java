// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.walk;

import org.treehaul.core.entry.Entry;
import org.treehaul.core.event.EntryFailure;

/**
 * Sees every entry of a walk. One visitor serves one thread, so it may gather without locks; {@link TreeWalker#walk}
 * returns the visitors, and the caller merges what they gathered.
 */
@FunctionalInterface
public interface TreeVisitor {

    /** Sees one entry. A directory comes before what stands in it; there is no other order. */
    Step visit(Entry entry);

    /** Told of an entry that could not be read; what stands below it is unknown, not empty. Does nothing by default. */
    default void failed(EntryFailure failure) {}
}
