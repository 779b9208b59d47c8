// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.net.Answer.Outcome;

/** Carries out requests on the segments of a directory. Thread-safe. */
final class Work {

    // Each has a thread and two parts that are not in the budget.
    private static final int MOST_LISTINGS = 32;

    private final Segments segments;
    private final byte[] description;
    private final ByteBufAllocator allocator;
    private final ThreadFactory threads;
    private final Semaphore listings = new Semaphore(MOST_LISTINGS);

    /**
     * Creates the work.
     *
     * @param description the answer to {@link Operation#DESCRIBE}
     * @param threads makes the threads of listings
     */
    Work(Segments segments, byte[] description, ByteBufAllocator allocator, ThreadFactory threads) {
        this.segments = segments;
        this.description = description.clone();
        this.allocator = allocator;
        this.threads = threads;
    }

    /**
     * Carries out a request.
     *
     * @return the answer, also to a request that failed; null if the operation has none
     * @throws Wire.BrokenException if no client of this version sends such a request
     */
    @Nullable ByteBuf answer(ServerConnection from, Request request) throws Wire.BrokenException, InterruptedException {
        try {
            return switch (request.operation()) {
                case BEAT -> null;
                case DESCRIBE -> Answer.end(
                        Answer.begin(allocator, Outcome.DONE, request.id(), description.length).writeBytes(description),
                        0);
                case LIST -> list(from, request);
                case LIST_MORE -> listMore(from, request);
                case LIST_END -> {
                    endListing(from, request.argument());
                    yield done(request, 0);
                }
                case READ -> read(request);
                case READ_SUMS -> readSums(request);
                default -> done(request, change(request));
            };
        } catch (StageException e) {
            return Answer.failure(allocator, request.id(), e.operation(), e.errno());
        } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
            return Answer.failure(allocator, request.id(), request.operation().words() + ": " + e.getMessage(),
                    Errno.EINVAL);
        }
    }

    private ByteBuf done(Request request, long value) {
        return Answer.end(Answer.begin(allocator, Outcome.DONE, request.id(), 0), value);
    }

    // Operations whose answer has no data.
    private long change(Request request) throws StageException, Wire.BrokenException {
        SegmentKey key = Objects.requireNonNull(request.key());
        long argument = request.argument();
        switch (request.operation()) {
            case CREATE -> segments.create(key);
            case WRITE -> segments.write(key, request.parts(request.data().getFirst()));
            case PUT -> segments.put(key, request.data().getFirst(), argument);
            case SIZE -> {
                return segments.size(key);
            }
            case TRUNCATE -> segments.truncate(key, argument);
            case GROW -> segments.grow(key, argument);
            case ADVANCE -> segments.advance(key, argument);
            case WRITE_SUMS -> segments.writeSums(key, argument, sums(request.data().getFirst()));
            case SYNC -> segments.sync(key);
            case REMOVE -> segments.remove(key);
            default -> throw new IllegalStateException(request.operation().name());
        }
        return 0;
    }

    private static long[] sums(MemorySegment data) throws Wire.BrokenException {
        if (data.byteSize() % Long.BYTES != 0) {
            throw new Wire.BrokenException("it sent a part of a checksum");
        }
        long[] sums = new long[Math.toIntExact(data.byteSize() / Long.BYTES)];
        data.asByteBuffer().asLongBuffer().get(sums);
        return sums;
    }

    private ByteBuf read(Request request) throws StageException, Wire.BrokenException {
        ByteBuf answer = Answer.begin(allocator, Outcome.DONE, request.id(), request.room());
        try {
            int at = answer.writerIndex();
            MemorySegment memory = MemorySegment.ofBuffer(answer.nioBuffer(at, request.room()));
            long read = segments.read(Objects.requireNonNull(request.key()), request.parts(memory));
            // A single range is short only at its end, and the missing bytes are not sent.
            answer.writerIndex(at + (request.ranges().size() == 1 ? Math.toIntExact(read) : request.room()));
            return Answer.end(answer, read);
        } catch (StageException | Wire.BrokenException | RuntimeException e) {
            answer.release();
            throw e;
        }
    }

    private ByteBuf readSums(Request request) throws StageException {
        long[] sums = new long[request.room() / Long.BYTES];
        segments.readSums(Objects.requireNonNull(request.key()), request.argument(), sums);
        ByteBuf answer = Answer.begin(allocator, Outcome.DONE, request.id(), sums.length * Long.BYTES);
        for (long sum : sums) {
            answer.writeLong(sum);
        }
        return Answer.end(answer, sums.length);
    }

    private ByteBuf list(ServerConnection from, Request request)
            throws StageException, Wire.BrokenException, InterruptedException {
        if (!listings.tryAcquire()) {
            throw new StageException(segments.server(), "list: the server makes " + MOST_LISTINGS + " listings already",
                    Errno.EBUSY);
        }
        Listing listing;
        try {
            listing = Listing.start(segments, threads);
        } catch (RuntimeException | Error e) {
            // There is no thread for it.
            listings.release();
            throw e;
        }
        if (from.listings().putIfAbsent(request.id(), listing) != null) {
            listing.close();
            listings.release();
            throw new Wire.BrokenException("it gave two requests one number");
        }
        if (from.isGone()) {
            endListing(from, request.id());
        }
        return part(from, request, request.id(), listing);
    }

    private ByteBuf listMore(ServerConnection from, Request request)
            throws StageException, Wire.BrokenException, InterruptedException {
        Listing listing = from.listings().get(request.argument());
        if (listing == null) {
            throw new Wire.BrokenException("it continues a listing that it did not begin");
        }
        return part(from, request, request.argument(), listing);
    }

    private ByteBuf part(ServerConnection from, Request request, long id, Listing listing)
            throws StageException, InterruptedException {
        Listing.Part part = listing.next();
        if (part == null || part.isLast()) {
            endListing(from, id);
        }
        if (part == null) {
            throw new StageException(segments.server(), "list", Errno.ECANCELED);
        }
        if (part.failure().isPresent()) {
            throw part.failure().get();
        }
        ByteBuffer bytes = part.segments();
        ByteBuf answer = Answer.begin(allocator, part.isLast() ? Outcome.DONE : Outcome.MORE, request.id(),
                bytes.remaining());
        return Answer.end(answer.writeBytes(bytes), 0);
    }

    private void endListing(ServerConnection from, long id) {
        Listing listing = from.listings().remove(id);
        if (listing != null) {
            listing.close();
            listings.release();
        }
    }

    /** Ends the listings of a connection that has ended. */
    void endListings(ServerConnection from) {
        from.listings().keySet().forEach(id -> endListing(from, id));
    }
}
