// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.storage;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

import org.treehaul.core.fs.SystemCallException;

/**
 * A file in a map that writes as late as possible: when a caller waits for the write, or for a later one. Not safe for
 * several asynchronous writers.
 */
public class AsyncMapFile extends MapFile {

    private final Deque<Late> begun = new ArrayDeque<>();

    /** Opens a file. */
    public AsyncMapFile(Content content) {
        super(content);
    }

    /** Returns the number of writes in progress. */
    public int pending() {
        return begun.size();
    }

    @Override
    public boolean isAsynchronous() {
        return true;
    }

    @Override
    public CompletableFuture<Void> writeAsync(MemorySegment data, long offset) {
        Late write = new Late(data, offset);
        begun.add(write);
        return write;
    }

    private final class Late extends CompletableFuture<Void> {
        private final MemorySegment data;
        private final long offset;

        Late(MemorySegment data, long offset) {
            this.data = data;
            this.offset = offset;
        }

        @Override
        public Void join() {
            while (!isDone()) {
                begun.remove().run();
            }
            return super.join();
        }

        private void run() {
            try {
                write(data, offset);
                complete(null);
            } catch (SystemCallException e) {
                completeExceptionally(e);
            }
        }
    }
}
