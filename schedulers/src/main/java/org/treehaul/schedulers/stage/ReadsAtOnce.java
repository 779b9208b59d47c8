// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Reads from several servers at the same time by the thread of the caller. If each server has only a small part of a
 * request, waking a thread for each of them takes longer than the exchange.
 */
final class ReadsAtOnce {

    private ReadsAtOnce() {}

    /**
     * Reads parts of several segments. This method waits for all of them, also after a failure, because the answers are
     * written to the memory of the caller.
     *
     * @param parts the parts of each segment, by its number
     * @return the number of bytes that the segments have in these parts; empty, and nothing was read, if a server is
     *         not ready or does not take requests in a pipeline
     * @throws StageException the first failure, with the others suppressed
     */
    static OptionalLong read(ParallelFile file, List<Map.Entry<Integer, List<SegmentPart>>> parts)
            throws StageException {
        List<Segments.Pipelined> servers = new ArrayList<>();
        for (Map.Entry<Integer, List<SegmentPart>> one : parts) {
            if (!(file.segments(one.getKey()) instanceof Segments.Pipelined server) || !server.isReady()) {
                return OptionalLong.empty();
            }
            servers.add(server);
        }
        List<CompletableFuture<Long>> begun = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            Map.Entry<Integer, List<SegmentPart>> one = parts.get(i);
            begun.add(servers.get(i).begin(file.key(one.getKey()), one.getValue(), false));
        }
        return OptionalLong.of(sum(begun));
    }

    private static long sum(List<CompletableFuture<Long>> begun) throws StageException {
        try {
            CompletableFuture.allOf(begun.toArray(CompletableFuture[]::new)).join();
        } catch (CompletionException e) {
            // Thrown below, with all others.
        }
        long sum = 0;
        StageException failure = null;
        for (CompletableFuture<Long> one : begun) {
            try {
                sum += one.join();
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof StageException failed)) {
                    throw e;
                }
                if (failure == null) {
                    failure = failed;
                } else {
                    failure.addSuppressed(failed);
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
        return sum;
    }
}
