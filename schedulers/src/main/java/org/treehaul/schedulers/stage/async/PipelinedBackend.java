// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.async;

import org.treehaul.core.async.backend.Backend;
import org.treehaul.core.async.backend.Request;
import org.treehaul.core.async.backend.ThreadBackend;

/**
 * Sends reads and writes to the servers at once. Threads carry out all other requests, and those on servers that are
 * not connected, because they wait.
 */
final class PipelinedBackend implements Backend {

    private final StageCalls calls;
    private final ThreadBackend threads;

    PipelinedBackend(StageCalls calls, int number, int depth) {
        this.calls = calls;
        this.threads = new ThreadBackend(calls, number, depth);
    }

    @Override
    public void submit(Request request) {
        StageCalls.OpenFile file = calls.file(request.descriptor());
        if (file == null || file.segments().isEmpty() || !isPipelined(request, file)
                || !file.segments().stream().allMatch(pipe -> pipe.server().isReady())) {
            threads.submit(request);
        } else {
            new PipelinedRequest(request, file, calls, this::later).begin();
        }
    }

    private static boolean isPipelined(Request request, StageCalls.OpenFile file) {
        return switch (request.kind()) {
            case READ -> file.mayRead();
            case WRITE -> file.mayWrite();
            default -> false;
        };
    }

    // An operation waits here at most once, so the queue of the threads has room.
    private void later(Runnable work) {
        threads.submit(Request.of(Request.Kind.NONE, 0, result -> work.run()));
    }

    @Override
    public void end() {
        threads.end();
    }
}
