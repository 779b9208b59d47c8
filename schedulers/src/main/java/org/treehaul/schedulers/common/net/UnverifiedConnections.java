// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.common.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The connections that have not yet proved that they know the secret. Their number is limited: a client that only waits
 * keeps no member of a group out, and every member has time for its handshake, however many connections come. Safe for
 * any number of threads.
 */
public final class UnverifiedConnections {

    // Each connection holds a thread and a descriptor.
    private static final int MOST = 256;
    // A member on a busy node has this time for its handshake before another connection may replace it.
    private static final Duration GRACE = Duration.ofMillis(500);

    /** The origin of a connection, and the time when it came. */
    private record Origin(InetAddress from, long since) {
        boolean isYoung() {
            return System.nanoTime() - since < GRACE.toNanos();
        }
    }

    // The oldest connection comes first.
    private final Map<Socket, Origin> origins = new LinkedHashMap<>();

    /** Adds a connection. */
    public synchronized void add(Socket connection) {
        origins.put(connection, new Origin(connection.getInetAddress(), System.nanoTime()));
    }

    /** Removes a connection that has proved that it knows the secret, or is closed. */
    public synchronized void remove(Socket connection) {
        origins.remove(connection);
        notifyAll();
    }

    /**
     * Makes room for a connection if there are too many: closes the oldest one from the address with the most
     * connections.
     *
     * @param server accepts the connections; nothing is awaited once it is closed
     */
    public synchronized void awaitPlace(ServerSocket server) throws InterruptedException, IOException {
        while (origins.size() >= MOST && !server.isClosed()) {
            Map<InetAddress, Long> counts = origins.values()
                    .stream()
                    .collect(Collectors.groupingBy(Origin::from, Collectors.counting()));
            long most = Collections.max(counts.values());
            Map.Entry<Socket, Origin> oldest = origins.entrySet()
                    .stream()
                    .filter(connection -> counts.getOrDefault(connection.getValue().from(), 0L) == most)
                    .findFirst()
                    .orElseThrow();
            if (oldest.getValue().isYoung()) {
                wait(GRACE.toMillis() / 10);
            } else {
                origins.remove(oldest.getKey());
                oldest.getKey().close();
            }
        }
    }

    /** Closes all of them. */
    public synchronized void close() {
        for (Socket connection : origins.keySet()) {
            try {
                connection.close();
            } catch (IOException e) {
                // It is not used any more.
            }
        }
        origins.clear();
        notifyAll();
    }
}
