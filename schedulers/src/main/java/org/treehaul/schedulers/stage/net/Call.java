// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.netty.channel.ChannelPromise;

/**
 * A request of a client that waits for its answer. The connection uses the memory of the request until it is sent, and
 * that for the answer until this has come, or the connection has ended.
 *
 * @param request what was sent
 * @param into memory of the caller for the data of the answer; empty if they go to a buffer first
 * @param sent completed when the request was sent, or cannot be
 * @param answer the answer, whose buffer its receiver releases, or a failure of the connection
 */
record Call(Request request, Optional<MemorySegment> into, ChannelPromise sent, CompletableFuture<Answer> answer) {

    /**
     * Waits for the answer, and until the connection uses no memory of the caller any more. Not interrupted.
     *
     * @throws CompletionException if the connection ended first
     */
    Answer await() {
        try {
            return answer.join();
        } finally {
            sent.awaitUninterruptibly();
        }
    }
}
