// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.DefaultThreadFactory;
import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.plan.servers.OwnHost;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;

/**
 * Connects this process to the servers of segments of one run, over one connection to each. Several threads may use a
 * connection at the same time: requests are sent without waiting for earlier answers. A connection that was lost is
 * made again by the next operation, but not within 30 seconds after a host did not answer; those that waited fail, and
 * for those that change something it is unknown whether they took effect. No request of a lost connection takes effect
 * after the next one was made. Thread-safe.
 */
public final class SegmentClients implements SegmentsOpener, AutoCloseable {

    private static final UUID NO_ID = new UUID(0, 0);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
    // With a host that does not answer, a tree of many files would wait for each of them.
    private static final Duration SLOW = Duration.ofSeconds(5);
    private static final Duration PAUSE = Duration.ofSeconds(30);

    private final RunSecret secret;
    private final @Nullable SslContext tls;
    private final Duration patience;
    private final LongSupplier clock;
    // The number by which servers order the requests of this process, unless they belong to a collective access.
    private final long application = UUID.randomUUID().getMostSignificantBits();
    private final EventLoopGroup loops;
    private final Set<RemoteSegments> open = ConcurrentHashMap.newKeySet();
    private final Map<String, SilentHost> silent = new ConcurrentHashMap<>();

    /** An attempt to connect to a host that did not answer, and the time when it failed. */
    private record SilentHost(StageException failure, long at) {}

    /**
     * Creates the connections.
     *
     * @param secret the secret of the run
     * @param isEncrypted whether the servers have certificates, so that connections use TLS
     */
    public SegmentClients(RunSecret secret, boolean isEncrypted) {
        this(secret, isEncrypted, PATIENCE);
    }

    /**
     * Creates the connections with another patience than 30 seconds.
     *
     * @param patience how long a server may be silent while operations wait for it, more than zero; one that works on a
     *        request sends a sign of life every 5 seconds
     */
    public SegmentClients(RunSecret secret, boolean isEncrypted, Duration patience) {
        this(secret, isEncrypted, patience, System::nanoTime);
    }

    SegmentClients(RunSecret secret, boolean isEncrypted, Duration patience, LongSupplier clock) {
        this.secret = Objects.requireNonNull(secret);
        this.patience = patience;
        this.clock = clock;
        try {
            this.tls = isEncrypted ? Tls.ofClient() : null;
        } catch (IOException e) {
            throw new IllegalStateException("this Java has no TLS", e);
        }
        this.loops = new MultiThreadIoEventLoopGroup(Math.min(4, Runtime.getRuntime().availableProcessors()),
                new DefaultThreadFactory("treehaul-segments", true), NioIoHandler.newFactory());
    }

    /**
     * Connects to a server.
     *
     * @param server one with an address
     * @throws StageException if it cannot be reached, does not know the secret, is of another version, or has another
     *         directory
     */
    @Override
    public Segments open(StageServer server) throws StageException {
        RemoteSegments segments = new RemoteSegments(server, this::connect, application, open::remove);
        open.add(segments);
        try {
            segments.connect();
        } catch (StageException e) {
            segments.close();
            throw e;
        }
        return segments;
    }

    /**
     * Asks a server for its host and directory.
     *
     * @param stage the name of the stage
     * @param name the name that the server is to have in the stage
     * @param address {@code HOST:PORT}
     * @return the server with these names, as a tuple for the catalogue
     * @throws StageException if it cannot be reached, does not know the secret, or is of another version
     */
    public StageServer find(String stage, String name, String address) throws StageException {
        StageServer unknown = new StageServer(stage, name, "", NO_ID, ByteString.of("/"), address);
        try (RemoteSegments segments = new RemoteSegments(unknown, this::connect, application, closed -> {})) {
            byte[] description = segments.description();
            int end = 0;
            while (end < description.length && description[end] != 0) {
                end++;
            }
            if (end + 1 >= description.length || description[end + 1] != '/') {
                throw new StageException(unknown.display(), "its description is damaged", 0);
            }
            return new StageServer(stage, name, new String(description, 0, end, StandardCharsets.UTF_8),
                    segments.directory(), ByteString.of(Arrays.copyOfRange(description, end + 1, description.length)),
                    address);
        }
    }

    /**
     * Adds servers to a stage, named s1, s2 and so on. One whose directory the stage has already keeps its name, and
     * gets the address.
     *
     * @param addresses {@code HOST:PORT} of each
     * @throws StageException if one of them cannot be reached, does not know the secret, or is of another version;
     *         those before it are servers then
     */
    public void add(Catalogue catalogue, List<String> addresses) throws StageException {
        for (String address : addresses) {
            StageServer server = find(catalogue.stage(), "new", address);
            catalogue.checkOwn(server, this);
            catalogue.addNumbered("s", server);
        }
    }

    /**
     * Returns an opener that opens the directories of this host itself, without their servers, and connects to all
     * other servers.
     */
    public SegmentsOpener withLocal(FileSystemCalls calls) {
        String host = Host.nameOr("");
        return server -> {
            if (!server.address().isEmpty() && !OwnHost.isOne(server.host(), host)) {
                return open(server);
            }
            try {
                return LocalSegments.open(calls, server);
            } catch (StageException e) {
                // Another host may have the same name, or a container another view of the same host.
                if (server.address().isEmpty()) {
                    throw e;
                }
                return open(server);
            }
        };
    }

    private ClientConnection connect(StageServer server, UUID client) throws StageException {
        SilentHost last = silent.get(server.address());
        long begun = clock.getAsLong();
        if (last != null && begun - last.at() < PAUSE.toNanos()) {
            throw new StageException(server.display(), last.failure().operation(), 0, last.failure());
        }
        try {
            return connectNow(server, client);
        } catch (StageException e) {
            long now = clock.getAsLong();
            if (isSilent(e, now - begun)) {
                silent.put(server.address(), new SilentHost(e, now));
            }
            throw e;
        }
    }

    /** Returns whether the host does not answer, so that each further attempt would take as long. */
    static boolean isSilent(StageException failure, long nanos) {
        // A host that is down in the own network is given up after three seconds, in which Linux asks for its address.
        return nanos >= SLOW.toNanos() || failure.getCause() instanceof NoRouteToHostException;
    }

    private ClientConnection connectNow(StageServer server, UUID client) throws StageException {
        Optional<UUID> directory = server.id().equals(NO_ID) ? Optional.empty() : Optional.of(server.id());
        ClientConnection connection = new ClientConnection(
                new ClientConnection.Terms(secret, client, directory, patience, clock));
        InetSocketAddress to = address(server);
        Bootstrap bootstrap = new Bootstrap().group(loops)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .option(ChannelOption.SO_KEEPALIVE, true)
                .option(ChannelOption.ALLOCATOR, Wire.ALLOCATOR)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, Math.toIntExact(CONNECT_LIMIT.toMillis()))
                .handler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        connection.readBy(channel, tls != null);
                        if (tls != null) {
                            channel.pipeline().addLast(tls.newHandler(channel.alloc()));
                        }
                        channel.pipeline().addLast(connection);
                    }
                });
        ChannelFuture made = bootstrap.connect(to).awaitUninterruptibly();
        if (!made.isSuccess()) {
            Throwable cause = reported(made.cause());
            throw failure(server, cause instanceof IOException e ? PrivateFiles.reason(e) : cause.toString(), cause);
        }
        try {
            connection.ready().join();
        } catch (CompletionException e) {
            throw failure(server, connection.reason(), e);
        }
        return connection;
    }

    /** Returns the failure that the operating system reported, which Netty has wrapped; the given one without it. */
    static Throwable reported(Throwable failure) {
        Throwable found = failure;
        for (Throwable one = failure; one != null; one = one.getCause()) {
            found = one instanceof IOException ? one : found;
        }
        return found;
    }

    private static InetSocketAddress address(StageServer server) throws StageException {
        try {
            HostPort given = HostPort.parse(server.address());
            if (given.host().isEmpty() || given.port() == 0) {
                throw new StageException(server.display(),
                        "connect: clients need the host and the port of a server, as it prints them when it starts", 0);
            }
            InetSocketAddress address = given.resolve();
            if (address.isUnresolved()) {
                throw new StageException(server.display(), "connect: the name of its host does not resolve", 0);
            }
            return address;
        } catch (IllegalArgumentException e) {
            throw failure(server, "its address is not HOST:PORT", e);
        }
    }

    private static StageException failure(StageServer server, String reason, Throwable cause) {
        return new StageException(server.display(), "connect: " + reason, 0, cause);
    }

    /** Closes all connections; calls that wait fail. */
    @Override
    public void close() {
        open.forEach(RemoteSegments::close);
        loops.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
