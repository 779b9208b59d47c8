// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StoredSegment;
import org.treehaul.schedulers.stage.net.Answer.Outcome;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;

/** The segments of a server on another host. Waits for answers are not interrupted, like system calls on files. */
final class RemoteSegments implements Segments.Pipelined {

    private static final int MOST_DESCRIPTION = 8192;
    private static final int MOST_SUMS = Wire.MOST_DATA / Long.BYTES;

    /** Makes connections. Thread-safe. */
    @FunctionalInterface
    interface Connector {
        ClientConnection connect(StageServer server, UUID client) throws StageException;
    }

    /** A request on its way, its content, and the room that it took. */
    record Begun(Call call, Cuts.Cut cut, int cost) {}

    private final StageServer server;
    private final Connector connector;
    private final Consumer<RemoteSegments> closed;
    private final CollectiveRequest own;
    // The server ends the requests of an earlier connection of this client before it serves the next one.
    private final UUID client = UUID.randomUUID();
    private final Lock connecting = new ReentrantLock();
    private volatile @Nullable ClientConnection current;
    private volatile boolean isClosed;

    /**
     * Creates the client of a server.
     *
     * @param application the number of the application or transfer of its requests
     * @param closed called when it is closed
     */
    RemoteSegments(StageServer server, Connector connector, long application, Consumer<RemoteSegments> closed) {
        this.server = server;
        this.own = new CollectiveRequest(application, 0, 0, ShuffleHint.NONE);
        this.connector = connector;
        this.closed = closed;
    }

    /** Connects now, not with the first operation. */
    void connect() throws StageException {
        connection();
    }

    /** Returns what the server says about itself: the name of its host, a NUL, and the path of its directory. */
    byte[] description() throws StageException {
        ClientConnection to = connection();
        byte[][] found = new byte[1][];
        call(to, new Request(Operation.DESCRIBE, to.nextId(), null, 0, List.of(), List.of(), MOST_DESCRIPTION, own),
                answer -> {
                    found[0] = new byte[answer.dataLength()];
                    answer.data().get(found[0]);
                });
        return found[0];
    }

    /** Returns the id of the directory of the server. */
    UUID directory() throws StageException {
        return connection().directory();
    }

    private ClientConnection connection() throws StageException {
        ClientConnection known = current;
        if (known != null && !known.isGone()) {
            return known;
        }
        connecting.lock();
        try {
            known = current;
            if (known != null && !known.isGone()) {
                return known;
            }
            if (isClosed) {
                throw new StageException(server.display(), "the stage was closed", Errno.EBADF);
            }
            ClientConnection made = connector.connect(server, client);
            current = made;
            if (isClosed) {
                made.close("this program closed the connection");
            }
            return made;
        } finally {
            connecting.unlock();
        }
    }

    @Override
    public String server() {
        return server.display();
    }

    @Override
    public void create(SegmentKey key) throws StageException {
        call(Operation.CREATE, key, 0);
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts) throws StageException {
        return read(key, parts, own);
    }

    @Override
    public long read(SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin) throws StageException {
        return transfer(Operation.READ, key, parts, origin);
    }

    @Override
    public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
        write(key, parts, own);
    }

    @Override
    public void write(SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin) throws StageException {
        transfer(Operation.WRITE, key, parts, origin);
    }

    @Override
    public void put(SegmentKey key, MemorySegment bytes, long sum) throws StageException {
        if (bytes.byteSize() > Cuts.BYTES) {
            Pipelined.super.put(key, bytes, sum);
        } else {
            call(connection(), Operation.PUT, key, sum, List.of(bytes), 0, answer -> {});
        }
    }

    @Override
    public long size(SegmentKey key) throws StageException {
        return call(Operation.SIZE, key, 0);
    }

    @Override
    public void truncate(SegmentKey key, long size) throws StageException {
        call(Operation.TRUNCATE, key, size);
    }

    @Override
    public void grow(SegmentKey key, long size) throws StageException {
        call(Operation.GROW, key, size);
    }

    @Override
    public void advance(SegmentKey key, long generation) throws StageException {
        if (generation <= key.generation()) {
            throw new IllegalArgumentException("generation " + generation + " after " + key.generation());
        }
        call(Operation.ADVANCE, key, generation);
    }

    @Override
    public void readSums(SegmentKey key, long first, long[] into) throws StageException {
        int at = 0;
        do {
            int from = at;
            int number = Math.min(into.length - at, MOST_SUMS);
            call(connection(), Operation.READ_SUMS, key, first + at, List.of(), number * Long.BYTES, answer -> {
                for (int i = 0; i < number; i++) {
                    into[from + i] = answer.frame().getLong(answer.dataAt() + i * Long.BYTES);
                }
            });
            at += number;
        } while (at < into.length);
    }

    @Override
    public void writeSums(SegmentKey key, long first, long[] sums) throws StageException {
        int at = 0;
        do {
            int number = Math.min(sums.length - at, MOST_SUMS);
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment data = arena.allocate((long) number * Long.BYTES);
                data.asByteBuffer().asLongBuffer().put(sums, at, number);
                call(connection(), Operation.WRITE_SUMS, key, first + at, List.of(data), 0, answer -> {});
            }
            at += number;
        } while (at < sums.length);
    }

    @Override
    public void sync(SegmentKey key) throws StageException {
        call(Operation.SYNC, key, 0);
    }

    @Override
    public void remove(SegmentKey key) throws StageException {
        call(Operation.REMOVE, key, 0);
    }

    @Override
    public void list(Consumer<? super StoredSegment> action) throws StageException {
        ClientConnection to = connection();
        long id = to.nextId();
        ByteBuffer part = ByteBuffer.allocate(Listing.PART_BYTES);
        Request first = new Request(Operation.LIST, id, null, 0, List.of(), List.of(), Listing.PART_BYTES, own);
        boolean isMore = call(to, first, answer -> part.put(answer.data()));
        try {
            pass(part, action);
            while (isMore) {
                Request next = new Request(Operation.LIST_MORE, to.nextId(), null, id, List.of(), List.of(),
                        Listing.PART_BYTES, own);
                isMore = call(to, next, answer -> part.put(answer.data()));
                pass(part, action);
            }
        } catch (RuntimeException e) {
            if (isMore) {
                call(to, new Request(Operation.LIST_END, to.nextId(), null, id, List.of(), List.of(), 0, own),
                        answer -> {});
            }
            throw e;
        }
    }

    private static void pass(ByteBuffer part, Consumer<? super StoredSegment> action) {
        part.flip();
        while (part.remaining() >= Wire.LISTED_BYTES) {
            UUID file = new UUID(part.getLong(), part.getLong());
            SegmentKey key = new SegmentKey(file, part.getLong(), part.getInt());
            action.accept(new StoredSegment(key, part.getLong()));
        }
        part.clear();
    }

    private long call(Operation operation, SegmentKey key, long argument) throws StageException {
        return call(connection(), operation, key, argument, List.of(), 0, answer -> {});
    }

    private long call(ClientConnection to, Operation operation, SegmentKey key, long argument, List<MemorySegment> data,
            int room, Consumer<Answer> use) throws StageException {
        Request request = new Request(operation, to.nextId(), key, argument, List.of(), data, room, own);
        int cost = request.cost();
        to.reserve(cost);
        try {
            return finish(to, to.send(request, Optional.empty()), use).value();
        } finally {
            to.giveBack(cost);
        }
    }

    // Returns whether the listing has more.
    private boolean call(ClientConnection to, Request request, Consumer<Answer> use) throws StageException {
        int cost = request.cost();
        to.reserve(cost);
        try {
            return finish(to, to.send(request, Optional.empty()), use).outcome() == Outcome.MORE;
        } finally {
            to.giveBack(cost);
        }
    }

    @Override
    public boolean isReady() {
        ClientConnection known = current;
        return known != null && !known.isGone();
    }

    @Override
    public CompletableFuture<Long> begin(SegmentKey key, List<SegmentPart> parts, boolean isWrite) {
        ClientConnection to = current;
        return to == null
                ? CompletableFuture.failedFuture(new StageException(server(), "not connected", 0))
                : new PipelinedTransfer(this, to, isWrite ? Operation.WRITE : Operation.READ, key, parts, own).begin();
    }

    /** Sends all requests of an operation on data as far as there is room, and waits for the answers. */
    private long transfer(Operation operation, SegmentKey key, List<SegmentPart> parts, CollectiveRequest origin)
            throws StageException {
        ClientConnection to = connection();
        boolean isRead = operation == Operation.READ;
        ArrayDeque<Begun> begun = new ArrayDeque<>();
        Cuts cuts = new Cuts(parts);
        long sum = 0;
        try {
            while (cuts.hasNext()) {
                Cuts.Cut cut = cuts.next();
                Request request = new Request(operation, to.nextId(), key, 0, cut.ranges(),
                        isRead ? List.of() : cut.memory(), isRead ? cut.bytes() : 0, origin);
                int cost = request.cost();
                // Answers that are not used keep their room, so that this thread may not wait for room first.
                while (!to.tryReserve(cost)) {
                    if (begun.isEmpty()) {
                        to.reserve(cost);
                        break;
                    }
                    sum += finish(to, begun.remove());
                }
                begun.add(send(to, request, cut));
            }
            while (!begun.isEmpty()) {
                sum += finish(to, begun.remove());
            }
            return sum;
        } finally {
            // After a failure: the memory of the caller is used until all requests have ended.
            for (Begun left : begun) {
                drop(left.call());
                to.giveBack(left.cost());
            }
        }
    }

    private static Begun send(ClientConnection to, Request request, Cuts.Cut cut) {
        try {
            return new Begun(to.send(request, place(request.operation() == Operation.READ, cut)), cut, request.cost());
        } catch (RuntimeException | Error e) {
            // Not sent: there is no memory for it, or that of the caller is gone.
            to.giveBack(request.cost());
            throw e;
        }
    }

    private static void drop(Call call) {
        try {
            call.await().release();
        } catch (CompletionException e) {
            // The first failure is reported.
            return;
        }
    }

    /** Returns the memory into which the connection may put the data of an answer itself. */
    static Optional<MemorySegment> place(boolean isRead, Cuts.Cut cut) {
        return isRead && cut.memory().size() == 1
                ? Optional.of(cut.memory().getFirst()).filter(SharedMemory::isLarge)
                : Optional.empty();
    }

    /** Uses the answer of a request, which is waited for, and gives its room back. */
    long finish(ClientConnection to, Begun begun) throws StageException {
        try {
            return finish(to, begun.call(), answer -> {
                if (begun.call().request().operation() == Operation.READ) {
                    answer.copyTo(begun.cut().memory());
                }
            }).value();
        } finally {
            to.giveBack(begun.cost());
        }
    }

    private Answer finish(ClientConnection to, Call call, Consumer<Answer> use) throws StageException {
        Request request = call.request();
        Answer answer;
        try {
            answer = call.await();
        } catch (CompletionException e) {
            throw failure(request, request.operation().words() + ": " + to.reason()
                    + (request.operation().isChange() ? "; it is unknown whether it took effect" : ""), 0, e);
        }
        try {
            if (!answer.isIntact() || answer
                    .dataLength() > (answer.outcome() == Outcome.FAILED ? Answer.LONGEST_TEXT : request.room())) {
                to.close("an answer arrived damaged");
                throw failure(request, request.operation().words() + ": the answer arrived damaged", Errno.EIO, null);
            }
            if (answer.outcome() == Outcome.FAILED) {
                throw failure(request, answer.text(), (int) answer.value(), null);
            }
            use.accept(answer);
            return answer;
        } finally {
            answer.release();
        }
    }

    private StageException failure(Request request, String operation, int errno, @Nullable Throwable cause) {
        String subject = (request.key() == null ? "" : "segment " + request.key() + " on ") + "server "
                + server.display();
        return cause == null
                ? new StageException(subject, operation, errno)
                : new StageException(subject, operation, errno, cause);
    }

    @Override
    public void close() {
        isClosed = true;
        ClientConnection known = current;
        if (known != null) {
            known.close("this program closed the connection");
        }
        closed.accept(this);
    }
}
