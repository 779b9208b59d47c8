// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.async.bench;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.treehaul.core.async.AsyncFile;
import org.treehaul.core.async.AsyncFileException;
import org.treehaul.core.async.AsyncFiles;
import org.treehaul.core.async.IoBuffer;
import org.treehaul.core.async.OpenMode;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Errno;

/**
 * Reads or writes several blocks at the same time, also of several files, each with a buffer of its own. A file is
 * closed when its last block has ended.
 */
final class AsyncWork implements IoWork {

    private final Share share;
    private final AsyncFiles asynchronous;
    private final Deque<Block> inProgress = new ArrayDeque<>();

    /** An operation on a block; or the end of a file. */
    private record Block(IoBuffer buffer, CompletableFuture<?> end, ByteString path) {}

    AsyncWork(Share share, AsyncFiles asynchronous) {
        this.share = share;
        this.asynchronous = asynchronous;
    }

    @Override
    public void run() throws IOException {
        IoParameters parameters = share.parameters();
        OpenMode mode = parameters.writes() ? OpenMode.write().withPermissions(0600) : OpenMode.read();
        try {
            for (int i = 0; i < parameters.files() && !share.isCancelled().getAsBoolean(); i++) {
                ByteString path = share.files().path(share.thread(), i);
                AsyncFile file = asynchronous.openSync(path, parameters.isDirect() ? mode.direct() : mode);
                if (parameters.isDirect() && !file.isDirect()) {
                    throw new IOException(path + ": the file system has no direct I/O, or the kernel does not report "
                            + "its alignment (Linux 6.1): leave --direct out");
                }
                for (int block = 0; block < parameters.blocks() && !share.isCancelled().getAsBoolean(); block++) {
                    IoBuffer buffer = buffer();
                    long offset = block * (long) buffer.size();
                    inProgress.add(new Block(buffer,
                            parameters.writes() ? file.pwrite(buffer, offset) : file.pread(buffer, offset), path));
                }
                end(file, path);
            }
        } finally {
            while (!inProgress.isEmpty()) {
                await(inProgress.remove());
            }
        }
    }

    /** Returns the buffer of the oldest block once that has ended, or a new one. */
    private IoBuffer buffer() throws IOException {
        if (inProgress.size() < share.parameters().depth()) {
            return IoBuffer.allocate(share.parameters().blockBytes());
        }
        Block oldest = inProgress.remove();
        await(oldest);
        return oldest.buffer();
    }

    // The close waits for the blocks by itself; a sync must follow them.
    private void end(AsyncFile file, ByteString path) throws IOException {
        if (share.parameters().writes() && share.parameters().syncs()) {
            for (Block block : inProgress) {
                await(block);
            }
            file.syncSync();
        }
        IoBuffer buffer = buffer();
        inProgress.add(new Block(buffer, file.close(), path));
    }

    private static void await(Block block) throws IOException {
        try {
            if (block.end.join() instanceof Integer bytes && bytes < block.buffer.size()) {
                throw new AsyncFileException(block.path, "read", Errno.ENODATA, bytes);
            }
        } catch (CompletionException e) {
            throw e.getCause() instanceof IOException failure ? failure : new IOException(e);
        }
    }
}
