// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.pool.carry;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.tuplespace.transfer.LivePublisher;
import org.treehaul.tuplespace.transfer.Publication;

/**
 * Publishes the batches of transfers while a worker works on them, if they were given with {@code --publish}. There is
 * one publisher for each such transfer, also between its turns. Used by one thread; closing ends the threads.
 */
final class LivePublishers implements AutoCloseable {

    private final Map<String, LivePublisher> running = new HashMap<>();
    private final Consumer<String> problems;

    /**
     * Creates a set without publishers.
     *
     * @param problems receives reasons why a transfer is not published, on any thread
     */
    LivePublishers(Consumer<String> problems) {
        this.problems = problems;
    }

    /** Returns the receiver of the batches of a transfer whose state has changed. */
    IntConsumer of(TransferDirectory transfer) {
        LivePublisher known = running.get(transfer.id().text());
        if (known != null) {
            return known;
        }
        Optional<LivePublisher> started = Publication.live(transfer, problems);
        if (started.isEmpty()) {
            return batch -> {
                // Most transfers are not published.
            };
        }
        running.put(transfer.id().text(), started.get());
        return started.get();
    }

    /** Ends the publishers of other transfers than these. */
    void keepOnly(Set<String> transfers) {
        for (Iterator<Map.Entry<String, LivePublisher>> all = running.entrySet().iterator(); all.hasNext();) {
            Map.Entry<String, LivePublisher> one = all.next();
            if (!transfers.contains(one.getKey())) {
                all.remove();
                one.getValue().close();
            }
        }
    }

    @Override
    public void close() {
        keepOnly(Set.of());
    }
}
