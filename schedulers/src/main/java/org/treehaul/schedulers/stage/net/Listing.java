// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StoredSegment;

/**
 * A listing of all segments for one client, which takes it part by part. A thread of its own lists the segments, and
 * waits while two parts are not taken.
 */
final class Listing implements AutoCloseable {

    /** Small, because parts are not part of the budget. */
    static final int PART_BYTES = 32 * 1024 / Wire.LISTED_BYTES * Wire.LISTED_BYTES;

    /**
     * A part of a listing.
     *
     * @param segments their descriptions, one after another
     */
    record Part(ByteBuffer segments, boolean isLast, Optional<StageException> failure) {}

    /** Thrown through the listing when its client is gone. */
    private static final class EndedException extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    private final Segments segments;
    private final BlockingQueue<Part> parts = new ArrayBlockingQueue<>(1);
    private final Thread thread;
    private ByteBuffer part = ByteBuffer.allocate(PART_BYTES);
    private volatile boolean isEnded;

    private Listing(Segments segments, ThreadFactory threads) {
        this.segments = segments;
        this.thread = threads.newThread(this::run);
    }

    static Listing start(Segments segments, ThreadFactory threads) {
        Listing listing = new Listing(segments, threads);
        listing.thread.start();
        return listing;
    }

    private void run() {
        try {
            StageException failure = null;
            try {
                segments.list(this::add);
            } catch (StageException e) {
                failure = e;
            } catch (EndedException e) {
                return;
            } catch (RuntimeException e) {
                failure = new StageException(segments.server(), "list: " + e, Errno.EIO, e);
            }
            parts.put(new Part(part.flip(), true, Optional.ofNullable(failure)));
        } catch (InterruptedException e) {
            // The client is gone.
            Thread.currentThread().interrupt();
        }
    }

    private void add(StoredSegment segment) {
        part.putLong(segment.key().file().getMostSignificantBits())
                .putLong(segment.key().file().getLeastSignificantBits())
                .putLong(segment.key().generation())
                .putInt(segment.key().index())
                .putLong(segment.size());
        if (part.hasRemaining()) {
            return;
        }
        try {
            parts.put(new Part(part.flip(), false, Optional.empty()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EndedException();
        }
        part = ByteBuffer.allocate(PART_BYTES);
    }

    /** Waits for the next part; null if the listing was ended. */
    @Nullable Part next() throws InterruptedException {
        while (!isEnded) {
            Part next = parts.poll(1, TimeUnit.SECONDS);
            if (next != null) {
                return next;
            }
        }
        return null;
    }

    /** Ends the listing; does not wait for its thread. */
    @Override
    public void close() {
        isEnded = true;
        thread.interrupt();
    }
}
