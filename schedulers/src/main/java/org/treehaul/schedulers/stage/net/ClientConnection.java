// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLException;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.stage.net.Greeting.Verdict;

/**
 * The connection of a client to a server: proves the secret, sends requests as far as the server has granted room for
 * them, and gives each answer to the call that waits for it. It ends when the server is silent for too long while calls
 * wait; a server that works on a request sends signs of life.
 */
final class ClientConnection extends Pieces {

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(1);
    private static final Duration BEAT_INTERVAL = Duration.ofMinutes(1);

    /**
     * The proof and the expectations of the connection.
     *
     * @param client the id of this client, the same for all its connections to the server
     * @param directory the id of the directory that the server must have; empty for any
     * @param patience how long a server may be silent while calls wait
     * @param clock nanoseconds
     */
    record Terms(RunSecret secret, UUID client, Optional<UUID> directory, Duration patience, LongSupplier clock) {}

    private enum Phase {
        MAGIC,
        SERVER,
        VERDICT,
        WELCOME,
        LENGTH,
        ANSWER,
        /** The beginning of a long answer, which says whose it is. */
        HEAD,
        /** Its data, in the memory of the caller. */
        DATA,
        /** Its checksum, after the beginning in the same memory. */
        CRC,
        /** The rest of a long answer whose caller has no memory for it. */
        REST
    }

    // Shorter answers are copied once more.
    private static final int LEAST_PLACED = 16 * 1024;

    private final Terms terms;
    private final byte[] number = Greeting.newNumber();
    private byte[] theirs = {};
    private byte[] certificate = Tls.none();
    private Phase phase = Phase.MAGIC;
    private int length;
    private @Nullable ByteBuf head;
    private @Nullable ByteBuf data;
    private long seenReceived = -1;
    private long seenAt;
    private long beatAt;
    private @Nullable Future<?> checks;
    private final CompletableFuture<Void> ready = new CompletableFuture<>();
    private final Map<Long, Call> calls = new ConcurrentHashMap<>();
    private final AtomicLong lastId = new AtomicLong();
    private final Room room = new Room();
    private volatile @Nullable UUID directory;
    private volatile @Nullable String reason;
    private volatile boolean isGone;
    private volatile @Nullable ChannelHandlerContext context;

    ClientConnection(Terms terms) {
        this.terms = terms;
        this.seenAt = terms.clock().getAsLong();
        this.beatAt = seenAt;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        expect(active, Wire.MAGIC_BYTES);
        checks = active.executor()
                .scheduleWithFixedDelay(() -> check(active), CHECK_INTERVAL.toMillis(), CHECK_INTERVAL.toMillis(),
                        TimeUnit.MILLISECONDS);
    }

    @Override
    void complete(ChannelHandlerContext own, ByteBuf full) throws Wire.BrokenException {
        switch (phase) {
            case ANSWER, CRC, REST -> {
                Optional<ByteBuf> placed = Optional.ofNullable(data);
                head = null;
                data = null;
                phase = Phase.LENGTH;
                expect(own, Integer.BYTES);
                deliver(full, placed);
            }
            case HEAD -> place(own, full);
            case DATA -> {
                data = full;
                phase = Phase.CRC;
                expect(Objects.requireNonNull(head));
                head = null;
            }
            default -> completeShort(own, full);
        }
    }

    private void completeShort(ChannelHandlerContext own, ByteBuf full) throws Wire.BrokenException {
        try {
            switch (phase) {
                case MAGIC -> readVersion(own, full);
                case SERVER -> prove(own, full);
                case VERDICT -> readVerdict(own, full);
                case WELCOME -> verify(own, full);
                default -> {
                    length = full.readInt();
                    Answer.checkLength(length);
                    phase = length < LEAST_PLACED ? Phase.ANSWER : Phase.HEAD;
                    expect(own, length < LEAST_PLACED ? length : Answer.DATA_AT);
                }
            }
        } finally {
            full.release();
        }
    }

    private void readVersion(ChannelHandlerContext own, ByteBuf bytes) throws Wire.BrokenException {
        short version = Greeting.version(bytes);
        if (version != Wire.VERSION) {
            throw new Wire.BrokenException("it speaks version " + version + " of the protocol, this program version "
                    + Wire.VERSION + ": servers and clients must be of one release");
        }
        phase = Phase.SERVER;
        expect(own, Greeting.SERVER_BYTES);
    }

    private void prove(ChannelHandlerContext own, ByteBuf bytes) throws Wire.BrokenException {
        theirs = Greeting.bytes(bytes, Greeting.NUMBER_BYTES);
        SslHandler tls = own.pipeline().get(SslHandler.class);
        if (tls != null) {
            try {
                certificate = Tls.hash(tls.engine().getSession().getPeerCertificates()[0]);
            } catch (SSLException | GeneralSecurityException e) {
                throw new Wire.BrokenException("it has no certificate: " + e.getMessage());
            }
        }
        byte[] code = Greeting.clientCode(terms.secret(), theirs, number, terms.client(), certificate);
        send(own, Greeting.ofClient(own.alloc(), terms.client(), number, code));
        phase = Phase.VERDICT;
        expect(own, Byte.BYTES);
    }

    private void readVerdict(ChannelHandlerContext own, ByteBuf bytes) throws Wire.BrokenException {
        switch (Verdict.of(bytes.readByte())) {
            case WELCOME -> {
                phase = Phase.WELCOME;
                expect(own, Greeting.WELCOME_BYTES);
            }
            case OTHER_VERSION -> throw new Wire.BrokenException("it does not speak version " + Wire.VERSION
                    + " of the protocol: servers and clients must be of one release");
            case WRONG_SECRET -> throw new Wire.BrokenException(
                    "it does not accept " + terms.secret() + ": give servers and clients the same file");
            case FULL -> throw new Wire.BrokenException("it has as many clients as it takes");
        }
    }

    private void verify(ChannelHandlerContext own, ByteBuf bytes) throws Wire.BrokenException {
        byte[] code = Greeting.bytes(bytes, RunSecret.CODE_BYTES);
        UUID found = Greeting.id(bytes);
        int granted = bytes.readInt();
        byte[] expected = Greeting.serverCode(terms.secret(), theirs, number, found, certificate);
        if (!Greeting.isEqual(code, expected)) {
            throw new Wire.BrokenException(
                    "it does not know " + terms.secret() + ", so it is not a server of this run");
        }
        if (!found.equals(terms.directory().orElse(found))) {
            throw new Wire.BrokenException("it serves another directory, that with the id " + found);
        }
        directory = found;
        if (granted < Wire.cost(Wire.MOST_REQUEST, Wire.MOST_DATA)) {
            throw new Wire.BrokenException("it granted " + granted + " bytes");
        }
        phase = Phase.LENGTH;
        expect(own, Integer.BYTES);
        room.give(granted);
        ready.complete(null);
    }

    // The memory of the caller is used only while its call waits; a second answer finds no call.
    private void place(ChannelHandlerContext own, ByteBuf begun) {
        Call call = calls.get(begun.getLong(Byte.BYTES));
        int number = length - Answer.DATA_AT - Wire.CRC_BYTES;
        MemorySegment into = call == null ? null : call.into().orElse(null);
        if (into != null && number <= into.byteSize()) {
            head = own.alloc().directBuffer(Wire.ANSWER_BYTES, Wire.ANSWER_BYTES).writeBytes(begun);
            phase = Phase.DATA;
            expect(SharedMemory.buffer(into.asSlice(0, number)).clear());
        } else {
            phase = Phase.REST;
            expect(own.alloc().directBuffer(length, length).writeBytes(begun));
        }
        begun.release();
    }

    private void deliver(ByteBuf frame, Optional<ByteBuf> placed) throws Wire.BrokenException {
        Answer answer;
        Call call;
        try {
            answer = Answer.read(frame, placed);
            if (answer.outcome() == Answer.Outcome.ALIVE) {
                frame.release();
                return;
            }
            call = calls.remove(answer.id());
            if (call == null) {
                throw new Wire.BrokenException(
                        "it answered request " + answer.id() + ", which was not made or has its answer");
            }
            if (!call.sent().isDone()) {
                fail(call);
                throw new Wire.BrokenException("it answered request " + answer.id() + " before it had all of it");
            }
        } catch (Wire.BrokenException e) {
            frame.release();
            placed.ifPresent(ByteBuf::release);
            throw e;
        }
        if (!call.answer().complete(answer)) {
            answer.release();
        }
    }

    /** Completed when the server is verified, or with the reason why it is not. */
    CompletableFuture<Void> ready() {
        return ready;
    }

    /** Returns the id of the directory of the server, once it is verified. */
    UUID directory() {
        return Objects.requireNonNull(directory);
    }

    /** Returns the number of the next request. */
    long nextId() {
        return lastId.incrementAndGet();
    }

    /** Takes room for a request if there is enough. */
    boolean tryReserve(int cost) {
        return room.tryTake(cost);
    }

    /** Waits for room for a request, or for the end of the connection. */
    void reserve(int cost) {
        room.take(cost);
    }

    /**
     * Takes room for a request if there is enough, and otherwise later, or at the end of the connection.
     *
     * @param granted called then, by a thread that gives room back; it must not wait
     * @return whether room was taken now
     */
    boolean reserveOrLater(int cost, Runnable granted) {
        return room.takeOrLater(cost, granted);
    }

    /** Gives room back, after the answer was used. */
    void giveBack(int cost) {
        room.give(cost);
    }

    /**
     * Sends a request for which room was reserved.
     *
     * @param into memory of the caller for the data of the answer; empty if they go to a buffer first
     */
    Call send(Request request, Optional<MemorySegment> into) {
        ChannelHandlerContext own = Objects.requireNonNull(context);
        Call call = new Call(request, into, own.newPromise(), new CompletableFuture<>());
        // If there is no memory for the frame, nothing waits for an answer.
        ByteBuf frame = request.frame(own.alloc());
        calls.put(request.id(), call);
        if (isGone) {
            frame.release();
            call.sent().setFailure(new IOException(reason()));
            fail(call);
            return call;
        }
        own.writeAndFlush(frame, call.sent()).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
        return call;
    }

    private void fail(Call call) {
        calls.remove(call.request().id());
        call.answer().completeExceptionally(new IOException(reason()));
    }

    /** Returns whether the connection has ended. */
    boolean isGone() {
        return isGone;
    }

    /** Returns whether the thread of the connection has ended, as it does when all connections of a run are closed. */
    boolean hasNoThread() {
        return Objects.requireNonNull(context).executor().isShutdown();
    }

    /** Returns why the connection has ended. */
    String reason() {
        return Objects.requireNonNullElse(reason, "it closed the connection");
    }

    /** Ends the connection; calls that wait fail with the reason. */
    void close(String why) {
        ChannelHandlerContext own = context;
        // The threads of a connection that has ended may have ended too.
        if (own != null && !isGone) {
            own.executor().execute(() -> {
                if (!isEnded()) {
                    reason = why;
                    close(own);
                }
            });
        }
    }

    private void check(ChannelHandlerContext own) {
        long now = terms.clock().getAsLong();
        if (numberReceived() != seenReceived || (calls.isEmpty() && ready.isDone())) {
            seenReceived = numberReceived();
            seenAt = now;
        } else if (now - seenAt >= terms.patience().toNanos() && !isEnded()) {
            reason = "it has been silent for " + terms.patience().toSeconds() + " s: "
                    + (phase == Phase.VERDICT ? "it still works on a request of an earlier connection, or " : "")
                    + "the process is stopped, or its host or network is down";
            close(own);
        }
        if (now - beatAt >= BEAT_INTERVAL.toNanos() && ready.isDone() && !isEnded()) {
            beatAt = now;
            send(own, new Request(Operation.BEAT, 0, null, 0, List.of(), List.of(), 0).frame(own.alloc()));
        }
    }

    @Override
    void broken(ChannelHandlerContext own, Throwable cause) {
        if (reason == null) {
            // The decoder of TLS wraps what it finds.
            Throwable first = cause.getCause() instanceof SSLException wrapped ? wrapped : cause;
            reason = switch (first) {
                case Wire.BrokenException e -> ByteString.printable(String.valueOf(e.getMessage()));
                case NotSslRecordException e -> "it does not speak TLS";
                case SSLException e -> "TLS failed: " + ByteString.printable(String.valueOf(e.getMessage()));
                case IOException e -> PrivateFiles.reason(e);
                default -> ByteString.printable(first.toString());
            };
        }
    }

    @Override
    void ended(ChannelHandlerContext own) {
        isGone = true;
        if (checks != null) {
            checks.cancel(false);
        }
        if (reason == null && !ready.isDone() && phase == Phase.MAGIC) {
            reason = "it closed the connection before it greeted: it may expect TLS, or be another program";
        }
        ready.completeExceptionally(new IOException(reason()));
        ByteBuf begun = head;
        if (begun != null) {
            begun.release();
        }
        ByteBuf received = data;
        if (received != null) {
            received.release();
        }
        calls.values().forEach(this::fail);
        // All that wait for room find that the connection has ended.
        room.give(Integer.MAX_VALUE / 2);
    }
}
