// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.net.Greeting.Verdict;

/**
 * The connection of a client at the server: lets it prove the secret, reads its requests as far as there is memory, and
 * sends the answers.
 */
final class ServerConnection extends Pieces {

    /** How long a client may take to prove the secret. */
    static final Duration GREETING_LIMIT = Duration.ofSeconds(10);
    /** How long a client may take to continue a request that it began, or to take an answer. */
    static final Duration STALL_LIMIT = Duration.ofSeconds(60);
    /** How long a client may be silent: it sends a sign of life each minute. */
    static final Duration SILENCE_LIMIT = Duration.ofMinutes(10);

    /** The server as its connections see it. Thread-safe. */
    interface Server {
        RunSecret secret();

        /** Returns the id of the directory. */
        UUID directory();

        /** Returns the SHA-256 of the certificate; zeros without TLS. */
        byte[] certificate();

        /** Returns the bytes of requests and answers that a client may have on the way. */
        int window();

        Budget budget();

        /**
         * Admits a client that proved the secret.
         *
         * @return null if there are too many; else completed when no request of an earlier connection of this client
         *         runs any more
         */
        @Nullable CompletableFuture<Void> admit(ServerConnection connection, UUID client);

        /** Carries out a request; takes over the frame. */
        void carryOut(ServerConnection connection, int room, ByteBuf frame, int cost);

        /** Records the end of a connection. */
        void ended(ServerConnection connection);

        /** Reports a problem with a client. */
        void note(String text);
    }

    private enum Phase {
        MAGIC,
        CLIENT,
        SIZES,
        REQUEST
    }

    private final Server server;
    private final long madeAt;
    private final byte[] number = Greeting.newNumber();
    private final Budget.Account account = new Budget.Account() {
        @Override
        void granted() {
            ChannelHandlerContext own = context;
            if (own != null) {
                own.executor().execute(() -> continueWith(own));
            }
        }
    };
    private final AtomicInteger unfinished = new AtomicInteger();
    private final CompletableFuture<Void> quiet = new CompletableFuture<>();
    private final Map<Long, Listing> listings = new ConcurrentHashMap<>();
    private Phase phase = Phase.MAGIC;
    private int length;
    private int room;
    private int cost;
    private boolean isMember;
    private long seenReceived;
    private long seenPending;
    private long seenAt;
    private @Nullable Future<?> limit;
    private volatile @Nullable UUID client;
    private volatile @Nullable ChannelHandlerContext context;
    private volatile boolean isGone;

    ServerConnection(Server server, long nanos) {
        this.server = server;
        this.seenAt = nanos;
        this.madeAt = nanos;
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        context = active;
        expect(active, Wire.MAGIC_BYTES);
        send(active, Greeting.ofServer(active.alloc(), number));
        limit = active.executor().schedule(() -> {
            if (!isMember && !isEnded()) {
                close(active);
            }
        }, GREETING_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    void complete(ChannelHandlerContext own, ByteBuf full) throws Wire.BrokenException {
        if (phase == Phase.REQUEST) {
            phase = Phase.SIZES;
            expect(own, Wire.SIZES_BYTES);
            unfinished.incrementAndGet();
            server.carryOut(this, room, full, cost);
            return;
        }
        try {
            switch (phase) {
                case MAGIC -> readVersion(own, full);
                case CLIENT -> verify(own, full);
                default -> readSizes(own, full);
            }
        } finally {
            full.release();
        }
    }

    private void readVersion(ChannelHandlerContext own, ByteBuf bytes) throws Wire.BrokenException {
        short version = Greeting.version(bytes);
        if (version != Wire.VERSION) {
            refuse(own, Verdict.OTHER_VERSION, "it speaks version " + version + " of the protocol, not " + Wire.VERSION
                    + ": servers and clients must be of one release");
            return;
        }
        phase = Phase.CLIENT;
        expect(own, Greeting.CLIENT_BYTES);
    }

    @SuppressWarnings("FutureReturnValueIgnored")
    private void verify(ChannelHandlerContext own, ByteBuf bytes) {
        UUID id = Greeting.id(bytes);
        byte[] theirs = Greeting.bytes(bytes, Greeting.NUMBER_BYTES);
        byte[] code = Greeting.bytes(bytes, RunSecret.CODE_BYTES);
        byte[] expected = Greeting.clientCode(server.secret(), number, theirs, id, server.certificate());
        if (!Greeting.isEqual(code, expected)) {
            refuse(own, Verdict.WRONG_SECRET, "it does not know " + server.secret());
            return;
        }
        pause(own);
        CompletableFuture<Void> ready = server.admit(this, id);
        if (ready == null) {
            refuse(own, Verdict.FULL, "there are too many clients");
            return;
        }
        isMember = true;
        client = id;
        server.budget().join();
        ready.thenRun(() -> own.executor().execute(() -> welcome(own, theirs)));
    }

    private void welcome(ChannelHandlerContext own, byte[] theirs) {
        if (isEnded()) {
            return;
        }
        byte[] code = Greeting.serverCode(server.secret(), number, theirs, server.directory(), server.certificate());
        send(own, Greeting.welcome(own.alloc(), code, server.directory(), server.window()));
        phase = Phase.SIZES;
        expect(own, Wire.SIZES_BYTES);
        goOn(own);
    }

    private void refuse(ChannelHandlerContext own, Verdict verdict, String reason) {
        server.note("refused " + display(own.channel()) + ": " + reason);
        if (!isPaused()) {
            pause(own);
        }
        own.writeAndFlush(own.alloc().buffer(Byte.BYTES).writeByte(verdict.code()))
                .addListener(ChannelFutureListener.CLOSE);
    }

    private void readSizes(ChannelHandlerContext own, ByteBuf bytes) throws Wire.BrokenException {
        length = bytes.readInt();
        room = bytes.readInt();
        Request.checkSizes(length, room);
        cost = Wire.cost(length, room);
        phase = Phase.REQUEST;
        if (server.budget().take(account, cost)) {
            expect(own, length);
        } else {
            pause(own);
        }
    }

    private void continueWith(ChannelHandlerContext own) {
        if (isEnded()) {
            server.budget().giveBack(account, cost);
            return;
        }
        expect(own, length);
        goOn(own);
    }

    /** Sends the answer to a request, and gives its memory back when it is sent. */
    void answer(@Nullable ByteBuf answer, int cost) {
        ChannelHandlerContext own = context;
        if (answer == null || own == null || isGone) {
            if (answer != null) {
                answer.release();
            }
            server.budget().giveBack(account, cost);
        } else {
            own.writeAndFlush(answer).addListener(sent -> server.budget().giveBack(account, cost));
        }
        if (unfinished.decrementAndGet() == 0 && isGone) {
            quiet.complete(null);
        }
    }

    /** Ends the connection of a client that broke the protocol in a request. */
    void end(Throwable cause) {
        ChannelHandlerContext own = context;
        if (own != null) {
            own.executor().execute(() -> exceptionCaught(own, cause));
        }
    }

    /** Ends the connection. */
    void close() {
        ChannelHandlerContext own = context;
        if (own != null) {
            close(own);
        }
    }

    /** Reads nothing more, and ends the connection when all answers so far are sent. */
    void finish() {
        ChannelHandlerContext own = context;
        if (own != null) {
            own.executor().execute(() -> {
                own.channel().config().setAutoRead(false);
                own.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            });
        }
    }

    /**
     * Waits until the connection has ended.
     *
     * @return false if it has not after a time
     */
    boolean awaitEnd(long nanos) {
        ChannelHandlerContext own = context;
        return own == null || own.channel().closeFuture().awaitUninterruptibly(nanos, TimeUnit.NANOSECONDS);
    }

    /** Returns how long ago the connection was made. */
    long age(long now) {
        return now - madeAt;
    }

    /** Returns whether the connection has ended, so that its requests need not begin. */
    boolean isGone() {
        return isGone;
    }

    /** Completed when the connection has ended, and no request of it runs. */
    CompletableFuture<Void> quiet() {
        return quiet;
    }

    /** Returns the id of the client; null before it has proved the secret. */
    @Nullable UUID client() {
        return client;
    }

    /** Returns the port of the client; 0 before the connection is made. */
    int port() {
        ChannelHandlerContext own = context;
        return own != null && own.channel().remoteAddress() instanceof InetSocketAddress address
                ? address.getPort()
                : 0;
    }

    /** Returns the listings of this client that are not at their ends, by the requests that began them. */
    Map<Long, Listing> listings() {
        return listings;
    }

    /** Sends a sign of life if the client waits, and ends the connection of one that has stopped. */
    void check(long nanos) {
        ChannelHandlerContext own = context;
        if (own != null) {
            own.executor().execute(() -> checkHere(own, nanos));
        }
    }

    private void checkHere(ChannelHandlerContext own, long nanos) {
        // A client that waits to be welcome does not expect answers yet.
        if (isEnded() || phase == Phase.MAGIC || phase == Phase.CLIENT) {
            return;
        }
        ChannelOutboundBuffer out = own.channel().unsafe().outboundBuffer();
        long pending = out == null ? 0 : out.totalPendingWriteBytes();
        if (numberReceived() != seenReceived || pending != seenPending) {
            seenReceived = numberReceived();
            seenPending = pending;
            seenAt = nanos;
        }
        boolean hasWork = unfinished.get() > 0 || isPaused();
        long silent = nanos - seenAt;
        if (pending > 0 && silent >= STALL_LIMIT.toNanos()) {
            end(own, "it does not take its answers");
        } else if (isInside() && !hasWork && silent >= STALL_LIMIT.toNanos()) {
            end(own, "it does not continue a request");
        } else if (pending == 0 && !hasWork && silent >= SILENCE_LIMIT.toNanos()) {
            end(own, "it is silent");
        } else if (pending == 0 && hasWork) {
            send(own, Answer.end(Answer.begin(own.alloc(), Answer.Outcome.ALIVE, 0, 0), 0));
        }
    }

    private void end(ChannelHandlerContext own, String reason) {
        server.note("ended the connection of " + display(own.channel()) + ": " + reason);
        close(own);
    }

    @Override
    void broken(ChannelHandlerContext own, Throwable cause) {
        // A client that was killed or lost its network resets its connection.
        if (!(cause instanceof IOException) || cause instanceof SSLException) {
            server.note("ended the connection of " + display(own.channel()) + ": "
                    + ByteString.printable(cause.getMessage() == null ? cause.toString() : cause.getMessage()));
        }
    }

    @Override
    void ended(ChannelHandlerContext own) {
        isGone = true;
        if (limit != null) {
            limit.cancel(false);
        }
        if (isMember) {
            server.budget().leave(account);
            if (phase == Phase.REQUEST && !isPaused()) {
                server.budget().giveBack(account, cost);
            }
        }
        if (unfinished.get() == 0) {
            quiet.complete(null);
        }
        server.ended(this);
    }

    private static String display(Channel channel) {
        return String.valueOf(channel.remoteAddress()).replaceFirst("^/", "");
    }
}
