// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.order.OrderedRequests;
import org.treehaul.strategies.collective.order.RequestOrder;

/**
 * Serves the segments of a directory to clients on other hosts. Only clients that prove that they know the secret send
 * requests; no request contains a path. The memory for requests and answers is bounded: a client whose share is used up
 * waits, in its own kernel. Thread-safe.
 */
public final class SegmentServer implements AutoCloseable {

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);
    // All processes of a job may connect at the same time. Those that are more wait in the kernel.
    static final int MOST_STRANGERS = 256;
    // Others wait for the place of one that has not proved the secret after this time.
    private static final Duration PLACE_LIMIT = Duration.ofSeconds(3);
    // How long clients may take their last answers.
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    // In a minute: each stranger in the network can cause one, and they may go to a file.
    private static final int MOST_NOTES = 100;
    private static final int BACKLOG = 1024;
    private static final int SMALLEST_WINDOW = 5 << 18;
    private static final int LARGEST_WINDOW = 6 << 20;
    private static final int IO_THREADS = 2;

    private final ServerSettings settings;
    private final UUID directory;
    private final Consumer<String> notes;
    private final byte[] certificate;
    private final Budget budget;
    private final Work work;
    private final ThreadPoolExecutor workers;
    // Null if requests are carried out in the order of their arrival.
    private final @Nullable OrderedRequests ordered;
    private final EventLoopGroup loops;
    private final Channel listener;
    private final Future<?> checks;
    private final Future<?> noteLimit;
    private final Future<?> places;
    private final Hub hub = new Hub();
    private final Set<ServerConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<UUID, Member> members = new ConcurrentHashMap<>();
    private final Set<ServerConnection> strangers = new LinkedHashSet<>();
    // The channel that accepts connections, while it accepts none.
    private @Nullable Channel full;
    private final AtomicInteger noted = new AtomicInteger();

    /**
     * A client that proved the secret.
     *
     * @param quiet completed when no request of this connection or an earlier one of the client runs
     */
    private record Member(ServerConnection connection, CompletableFuture<Void> quiet) {}

    SegmentServer(ServerSettings settings, UUID directory, Segments segments, @Nullable SslContext tls,
            byte[] certificate, Consumer<String> notes, ThreadFactory threads) throws IOException {
        this.settings = settings;
        this.directory = directory;
        this.notes = notes;
        this.certificate = certificate;
        this.budget = new Budget(settings.memory());
        this.work = new Work(segments, description(settings), Wire.ALLOCATOR, threads);
        // Each request in its queue has its memory in the budget.
        this.workers = new ThreadPoolExecutor(settings.threads(), settings.threads(), 1, TimeUnit.MINUTES,
                new LinkedBlockingQueue<>(), threads);
        this.workers.allowCoreThreadTimeOut(true);
        this.ordered = switch (settings.order()) {
            case ARRIVAL -> null;
            case APPLICATION -> ordered(RequestOrder.byApplication());
            case HIERARCHICAL -> ordered(RequestOrder.hierarchical(RequestOrder.THRESHOLD));
        };
        this.loops = new MultiThreadIoEventLoopGroup(IO_THREADS, new DefaultThreadFactory("treehaul-serve", true),
                NioIoHandler.newFactory());
        ChannelFuture bound = new ServerBootstrap().group(loops)
                .channel(NioServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childOption(ChannelOption.ALLOCATOR, Wire.ALLOCATOR)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        begin(channel, tls);
                    }
                })
                .bind(settings.address())
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            stop();
            throw new IOException("cannot listen at " + settings.address() + ": " + bound.cause().getMessage(),
                    bound.cause());
        }
        this.listener = bound.channel();
        // Behind the handler of Netty, which tries again a second later.
        listener.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                note("no further connection can be accepted at present: "
                        + (cause instanceof IOException e ? PrivateFiles.reason(e) : cause));
            }
        });
        this.noteLimit = loops.scheduleWithFixedDelay(() -> noted.set(0), 1, 1, TimeUnit.MINUTES);
        this.checks = loops.scheduleWithFixedDelay(() -> check(System.nanoTime()), CHECK_INTERVAL.toMillis(),
                CHECK_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        this.places = loops.scheduleWithFixedDelay(() -> endStrangers(System.nanoTime()), 1, 1, TimeUnit.SECONDS);
    }

    /**
     * Starts a server, which listens when the method returns.
     *
     * @param directory the id of the directory
     * @param segments its segments, which the caller closes after the server
     * @param notes receives problems with clients, in printable form, on any thread
     * @throws IOException if the address cannot be used, or a file of TLS cannot be read
     */
    public static SegmentServer start(ServerSettings settings, UUID directory, Segments segments,
            Consumer<String> notes) throws IOException {
        ThreadFactory threads = new DefaultThreadFactory("treehaul-segments", true);
        if (settings.tls().isEmpty()) {
            return new SegmentServer(settings, directory, segments, null, Tls.none(), notes, threads);
        }
        ServerSettings.Certificate files = settings.tls().get();
        return new SegmentServer(settings, directory, segments, Tls.ofServer(files.chain(), files.key()),
                Tls.hash(files.chain()), notes, threads);
    }

    private OrderedRequests ordered(RequestOrder order) {
        int most = Math.toIntExact(Math.min(settings.memory() / Wire.OVERHEAD, Integer.MAX_VALUE));
        return new OrderedRequests(order, most, workers, settings.threads());
    }

    private static byte[] description(ServerSettings settings) {
        return ByteString.of(settings.host() + "\0").plus(settings.path()).toBytes();
    }

    /** Returns the address at which the server listens. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Returns the channel that accepts connections. */
    Channel listener() {
        return listener;
    }

    /** Returns the bytes of requests and answers that are on the way. */
    long memoryInUse() {
        return settings.memory() - budget.free();
    }

    /** Returns the number of requests that wait for a thread. */
    int waiting() {
        return workers.getQueue().size();
    }

    /** Returns the number of connections. */
    int connections() {
        return connections.size();
    }

    /** Returns the number of clients. */
    int clients() {
        return members.size();
    }

    /** Returns whether the connection from a port of a client was admitted. */
    boolean isAdmitted(int port) {
        return members.values().stream().anyMatch(member -> member.connection().port() == port);
    }

    /** Checks all connections, as the server itself does every few seconds. */
    void check(long nanos) {
        connections.forEach(connection -> connection.check(nanos));
    }

    private void begin(Channel channel, @Nullable SslContext tls) {
        // If there is no memory for it, the channel is closed and has no place yet.
        SslHandler encryption = tls == null ? null : tls.newHandler(channel.alloc());
        ServerConnection connection = new ServerConnection(hub, System.nanoTime());
        connections.add(connection);
        synchronized (strangers) {
            strangers.add(connection);
            if (strangers.size() >= MOST_STRANGERS && full == null) {
                full = channel.parent();
                limit(channel.parent());
            }
        }
        connection.readBy(channel, tls != null);
        if (encryption != null) {
            channel.pipeline().addLast(encryption);
        }
        channel.pipeline().addLast(connection);
    }

    /** Ends connections that keep others waiting because they do not prove the secret. */
    void endStrangers(long nanos) {
        synchronized (strangers) {
            if (full != null) {
                strangers.stream()
                        .filter(stranger -> stranger.age(nanos) >= PLACE_LIMIT.toNanos())
                        .forEach(ServerConnection::close);
            }
        }
    }

    // Records that a connection has proved the secret, or has ended.
    private void isKnown(ServerConnection connection) {
        synchronized (strangers) {
            strangers.remove(connection);
            Channel waiting = full;
            if (waiting != null && strangers.size() < MOST_STRANGERS) {
                full = null;
                limit(waiting);
            }
        }
    }

    // Netty may lose one of two changes by different threads, so that the thread of the channel makes them all.
    private void limit(Channel own) {
        if (own.isOpen()) {
            own.eventLoop().execute(() -> {
                synchronized (strangers) {
                    own.config().setAutoRead(full == null);
                }
            });
        }
    }

    /** The server as its connections see it. */
    private final class Hub implements ServerConnection.Server {
        @Override
        public RunSecret secret() {
            return settings.secret();
        }

        @Override
        public UUID directory() {
            return directory;
        }

        @Override
        public byte[] certificate() {
            return certificate;
        }

        @Override
        public int window() {
            return Math.clamp(settings.memory() / 4, SMALLEST_WINDOW, LARGEST_WINDOW);
        }

        @Override
        public Budget budget() {
            return budget;
        }

        // A request of an earlier connection could change what one of the new connection has written.
        @Override
        public @Nullable CompletableFuture<Void> admit(ServerConnection connection, UUID client) {
            synchronized (members) {
                Member earlier = members.get(client);
                if (earlier == null && members.size() >= settings.clients()) {
                    return null;
                }
                isKnown(connection);
                if (earlier == null) {
                    members.put(client, new Member(connection, connection.quiet()));
                    return CompletableFuture.completedFuture(null);
                }
                members.put(client,
                        new Member(connection, CompletableFuture.allOf(earlier.quiet(), connection.quiet())));
                earlier.connection().close();
                return earlier.quiet();
            }
        }

        @Override
        public void carryOut(ServerConnection connection, int room, ByteBuf frame, int cost) {
            Runnable request = () -> SegmentServer.this.carryOut(connection, room, frame, cost);
            try {
                if (ordered == null) {
                    workers.execute(request);
                } else {
                    ordered.add(Request.origin(frame), frame.readableBytes() + room, request);
                }
            } catch (RejectedExecutionException e) {
                // The server is being closed, which ends the connection after the answers to earlier requests.
                frame.release();
                connection.answer(null, cost);
            } catch (RuntimeException | Error e) {
                // Unless the request ends, its memory is lost, and its client waits for it with its next connection.
                note("a request could not begin, and its connection ends: " + e);
                frame.release();
                connection.answer(null, cost);
                connection.close();
            }
        }

        @Override
        @SuppressWarnings("FutureReturnValueIgnored")
        public void ended(ServerConnection connection) {
            connections.remove(connection);
            work.endListings(connection);
            UUID client = connection.client();
            isKnown(connection);
            if (client != null) {
                // Until its requests have ended, a new connection of the client has to wait for them.
                Member member = members.get(client);
                if (member != null && member.connection() == connection) {
                    member.quiet().whenComplete((done, never) -> members.remove(client, member));
                }
            }
        }

        @Override
        public void note(String text) {
            SegmentServer.this.note(text);
        }
    }

    private void note(String text) {
        int number = noted.incrementAndGet();
        if (number <= MOST_NOTES) {
            notes.accept(text);
        } else if (number == MOST_NOTES + 1) {
            notes.accept("more problems with clients in this minute are not reported");
        }
    }

    private void carryOut(ServerConnection connection, int room, ByteBuf frame, int cost) {
        ByteBuf answer = null;
        try {
            if (!connection.isGone()) {
                answer = work.answer(connection, Request.read(room, frame));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Wire.BrokenException e) {
            connection.end(e);
        } catch (Throwable e) {
            note("a request failed, and its connection ends: " + e);
            connection.close();
        } finally {
            frame.release();
            connection.answer(answer, cost);
        }
    }

    /** Stops to listen, ends the requests that have arrived, and closes all connections. */
    @Override
    public void close() {
        checks.cancel(false);
        noteLimit.cancel(false);
        places.cancel(false);
        listener.close().awaitUninterruptibly();
        stop();
    }

    private void stop() {
        workers.shutdown();
        boolean isInterrupted = false;
        while (true) {
            try {
                if (workers.awaitTermination(1, TimeUnit.DAYS)) {
                    break;
                }
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        connections.forEach(ServerConnection::finish);
        long limit = System.nanoTime() + FAREWELL.toNanos();
        connections.forEach(connection -> {
            if (!connection.awaitEnd(Math.max(0, limit - System.nanoTime()))) {
                connection.close();
            }
        });
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
