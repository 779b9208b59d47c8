// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.FileSystemCalls;

/** Carries out requests by system calls on threads. */
final class ThreadBackend implements Backend {

    private static final int END = -1; // the descriptor of a request that ends a thread

    private final FileSystemCalls calls;
    private final BlockingQueue<Request> queue;
    private final List<IoThread> threads = new ArrayList<>();

    /**
     * Starts the threads.
     *
     * @param depth the most requests at once
     */
    ThreadBackend(FileSystemCalls calls, int number, int depth) {
        this.calls = calls;
        this.queue = new ArrayBlockingQueue<>(depth + number); // one END for each thread
        try {
            for (int i = 0; i < number; i++) {
                IoThread thread = new IoThread(this::work, "treehaul-file-" + (i + 1));
                threads.add(thread);
                thread.start();
            }
        } catch (OutOfMemoryError e) { // no further thread
            end();
            throw e;
        }
    }

    @Override
    public void submit(Request request) {
        queue.add(request);
    }

    private void work() {
        while (true) {
            Request request;
            try {
                request = queue.take();
            } catch (InterruptedException e) {
                continue; // a callback may have interrupted its thread; only end() ends it
            }
            if (request.descriptor() == END) {
                return;
            }
            IoThread.runSafely(() -> answer(request));
        }
    }

    private void answer(Request request) {
        long result = -Errno.EIO; // if the call itself throws, as for lack of memory
        try {
            result = made(request);
        } finally {
            request.answered().answered(result);
        }
    }

    private long made(Request request) {
        return switch (request.kind()) {
            case NONE -> 0;
            case OPEN -> calls.openat(request.descriptor(), request.memory(), request.flags(), request.mode());
            case CLOSE -> calls.close(request.descriptor());
            case READ -> calls.pread(request.descriptor(), request.memory(), request.offset());
            case WRITE -> calls.pwrite(request.descriptor(), request.memory(), request.offset());
            case REMOVE -> calls.unlinkat(request.descriptor(), request.memory(), 0);
            case STATUS ->
                calls.statx(request.descriptor(), request.memory(), request.mode(), request.flags(), request.status());
            case SYNC -> calls.fdatasync(request.descriptor());
        };
    }

    @Override
    public void end() {
        threads.forEach(thread -> queue.add(Request.of(Request.Kind.SYNC, END, result -> {})));
        threads.forEach(IoThread::await);
    }
}
