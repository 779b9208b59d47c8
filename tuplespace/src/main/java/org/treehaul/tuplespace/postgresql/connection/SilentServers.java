// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends connections whose server cannot be reached any more, so that callers that wait for its answers fail within a
 * minute, not after a quarter of an hour, when the kernel gives up. A connection that waits for long proves nothing: a
 * statement may be slow, or wait for a lock. So this class asks the server something else over new connections, and
 * ends the connections that still wait only if no question is answered for half a minute. A network that is away for a
 * shorter time, for example until its switches have found another route, ends no connection. Thread-safe.
 */
final class SilentServers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SilentServers.class);
    /** How long a connection waits before its server is asked. */
    private static final long LONG = Duration.ofSeconds(10).toNanos();
    private static final Duration PAUSE = Duration.ofSeconds(2);
    /** Milliseconds to connect, and again to get the answer. */
    private static final int ANSWER = 5_000;
    /** The time without an answer, as a multiple of the time before the first question. */
    private static final int SILENCE = 3;
    /**
     * The request for encryption by GSSAPI, which a server answers with one byte, whether it has that or not; "Message
     * Formats" in the manual of PostgreSQL. It does not log that the client then ends the connection, as it does after
     * the request for TLS.
     */
    private static final byte[] QUESTION = ByteBuffer.allocate(8).putInt(8).putInt(80_877_104).array();

    /** A server as the driver names it. */
    record Host(String name, int port) {}

    /** The answers of a server so far. Used by the thread only. */
    private static final class Known {
        @Nullable InetSocketAddress address;
        long answeredAt;
        long silentSince;
    }

    private final Set<Statements> open = ConcurrentHashMap.newKeySet();
    private final Map<Host, Known> known = new HashMap<>();
    private final long longest;
    private final int answer;
    private final Function<Host, InetSocketAddress> addresses;
    private final Thread thread;
    private volatile boolean isClosed;

    SilentServers() {
        this(LONG, ANSWER, host -> new InetSocketAddress(host.name(), host.port()));
    }

    /**
     * Begins to watch.
     *
     * @param longest nanoseconds that a connection waits before its server is asked
     * @param answer milliseconds in which it has to answer
     * @param addresses finds the address of a server
     */
    SilentServers(long longest, int answer, Function<Host, InetSocketAddress> addresses) {
        this.longest = longest;
        this.answer = answer;
        this.addresses = addresses;
        thread = Thread.ofPlatform().daemon().name("tuplespace-servers").start(this::run);
    }

    void add(Statements connection) {
        open.add(connection);
    }

    void remove(Statements connection) {
        open.remove(connection);
    }

    private void run() {
        try {
            while (!isClosed) {
                Thread.sleep(Math.min(PAUSE.toMillis(), Math.max(1, longest / 1_000_000)));
                look();
            }
        } catch (InterruptedException e) {
            // It is closed.
        }
    }

    private void look() {
        long now = System.nanoTime();
        Map<Host, List<Statements>> waiting = open.stream()
                .filter(connection -> connection.waits(now) > longest)
                .collect(Collectors.groupingBy(Statements::host));
        known.forEach((host, server) -> server.silentSince = waiting.containsKey(host) ? server.silentSince : 0);
        waiting.forEach((host, connections) -> {
            Known server = known.computeIfAbsent(host, _ -> new Known());
            if (server.answeredAt != 0 && now - server.answeredAt < longest) {
                return;
            }
            if (isAnswering(host, server)) {
                server.silentSince = 0;
                server.answeredAt = System.nanoTime();
            } else if (server.silentSince == 0) {
                server.silentSince = now | 1;
            } else if (System.nanoTime() - server.silentSince > SILENCE * longest) {
                server.silentSince = 0;
                // Its name may lead to another server by now.
                server.address = null;
                connections.forEach(connection -> end(host, connection, now));
            }
        });
    }

    private boolean isAnswering(Host host, Known server) {
        // The name server may be lost too: an address that answered is not asked for again until its server is lost.
        InetSocketAddress address = server.address == null ? addresses.apply(host) : server.address;
        try (Socket socket = new Socket()) {
            socket.connect(address, answer);
            socket.setSoTimeout(answer);
            socket.getOutputStream().write(QUESTION);
            if (socket.getInputStream().read() >= 0) {
                server.address = address;
                return true;
            }
            LOG.debug("{} closes the connection", host);
        } catch (IOException e) {
            LOG.debug("{} does not answer: {}", host, e.toString());
        }
        return false;
    }

    private static void end(Host host, Statements connection, long asked) {
        // The server may have answered the connection in between.
        if (connection.waits(System.nanoTime()) < System.nanoTime() - asked) {
            return;
        }
        LOG.debug("{} has not answered for too long", host);
        try {
            connection.abort();
        } catch (SQLException e) {
            LOG.debug("{}: {}", host, e.toString());
        }
    }

    @Override
    public void close() {
        isClosed = true;
        thread.interrupt();
    }
}
