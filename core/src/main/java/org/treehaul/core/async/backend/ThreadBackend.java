// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.backend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

import org.treehaul.core.fs.Errno;

/** Carries out requests by threads, each of which waits for one call after another. */
public final class ThreadBackend implements Backend {

    private static final int END = -1; // the descriptor of a request that ends a thread

    private final Calls calls;
    private final BlockingQueue<Request> queue;
    private final List<IoThread> threads = new ArrayList<>();

    /** Calls that wait until they are done. Thread-safe. */
    @FunctionalInterface
    public interface Calls {

        /**
         * Carries out a request, and does not answer it.
         *
         * @return the answer
         * @throws IOException a failure that says more than an error number
         */
        long call(Request request) throws IOException;

        /** Returns the error number of a failure, more than 0. */
        default int errno(IOException failure) {
            return Errno.EIO;
        }
    }

    /**
     * Starts the threads.
     *
     * @param number of threads
     * @param depth the most requests at once
     */
    public ThreadBackend(Calls calls, int number, int depth) {
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
        long result;
        try {
            result = calls.call(request);
        } catch (IOException e) {
            request.answered().failed(calls.errno(e), e);
            return;
        } catch (RuntimeException | Error e) {
            // As for lack of memory.
            request.answered().answered(-Errno.EIO);
            throw e;
        }
        request.answered().answered(result);
    }

    @Override
    public void end() {
        threads.forEach(thread -> queue.add(Request.of(Request.Kind.SYNC, END, result -> {})));
        threads.forEach(IoThread::await);
    }
}
