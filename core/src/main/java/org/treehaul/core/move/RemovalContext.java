// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.move;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.operation.FailedPlaces;

/**
 * The parts that the threads of a removal share.
 *
 * @param failed the places where the copy failed; failures of the removal are added
 * @param keepsSome whether the options left entries at the source, so that directories need not become empty
 * @param reportsDone whether each removed entry is reported
 * @param count the number of removed entries
 */
record RemovalContext(FileSystemCalls calls, List<CopyPair> pairs, FailedPlaces failed, boolean keepsSome,
        boolean reportsDone, EventListener listener, Progress progress, Cancellation cancellation, AtomicLong count) {

    /** Returns the path of the source that contains an entry. */
    ByteString source(CopiedEntry entry) {
        return pairs.get(entry.root()).source().path();
    }

    /** Counts and reports a removed entry. */
    void removed(CopiedEntry entry) {
        count.incrementAndGet();
        if (reportsDone) {
            listener.onEvent(new Event.Removed(pairs.get(entry.root()).sourcePath(entry.path())));
        }
    }
}
