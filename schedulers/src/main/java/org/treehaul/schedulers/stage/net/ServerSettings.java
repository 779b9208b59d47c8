// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

import org.treehaul.core.entry.ByteString;

/**
 * The settings of a server of segments. Immutable.
 *
 * @param path the path of the directory that it serves, for clients that reach it themselves
 * @param host the name of this host
 * @param address where it listens; port 0 takes any free one
 * @param secret what clients must know
 * @param tls the certificate and its key, with which all connections are encrypted; empty for none
 * @param threads the number of requests that it carries out at the same time, 1 to 256
 * @param memory bytes for the requests and answers of all clients together, at least {@link #LEAST_MEMORY}
 * @param clients the largest number of clients, 1 or more
 * @param order in which it carries out requests that wait
 */
public record ServerSettings(ByteString path, String host, InetSocketAddress address, RunSecret secret,
        Optional<Certificate> tls, int threads, long memory, int clients, Order order) {

    /** The least memory for requests and answers: 4 MiB. */
    public static final long LEAST_MEMORY = 4L << 20;
    private static final int MOST_THREADS = 256;
    // A process with 200 clients stays below 256 MB.
    private static final long MEMORY = 40L << 20;
    private static final int CLIENTS = 1024;
    private static final int THREADS = 4;

    /**
     * The order of requests that wait for a thread. An application is a client process, or a group of ranks that read
     * and write collectively.
     */
    public enum Order {
        /** The order of their arrival. */
        ARRIVAL,
        /**
         * By turns of the applications: one request of each, or those of one collective access of each, by the number
         * of the application.
         */
        APPLICATION,
        /**
         * As {@link #APPLICATION}, but the slowest aggregators of collective reads come before others, which wait
         * within their acceptable delay.
         */
        HIERARCHICAL
    }

    /**
     * A certificate of TLS.
     *
     * @param chain a file in PEM with the certificate, and those that signed it
     * @param key a file in PEM with its key, as PKCS#8 without a password, that only this user may read
     */
    public record Certificate(Path chain, Path key) {
        public Certificate {
            Objects.requireNonNull(chain);
            Objects.requireNonNull(key);
        }
    }

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if a number is out of its range
     */
    public ServerSettings {
        Objects.requireNonNull(path);
        Objects.requireNonNull(host);
        Objects.requireNonNull(address);
        Objects.requireNonNull(secret);
        Objects.requireNonNull(tls);
        Objects.requireNonNull(order);
        if (threads < 1 || threads > MOST_THREADS || memory < LEAST_MEMORY || clients < 1) {
            throw new IllegalArgumentException(
                    threads + " threads, " + memory + " bytes of memory, " + clients + " clients");
        }
    }

    /**
     * Returns settings without TLS, for 1024 clients, with 40 MiB of memory, a thread for each processor but 4 to 256,
     * and the order by application.
     */
    public static ServerSettings of(ByteString path, String host, InetSocketAddress address, RunSecret secret) {
        return of(path, host, address, secret, Runtime.getRuntime().availableProcessors());
    }

    static ServerSettings of(ByteString path, String host, InetSocketAddress address, RunSecret secret,
            int processors) {
        return new ServerSettings(path, host, address, secret, Optional.empty(),
                Math.clamp(processors, THREADS, MOST_THREADS), MEMORY, CLIENTS, Order.APPLICATION);
    }

    /** Returns a copy with TLS. */
    public ServerSettings withTls(Certificate certificate) {
        return new ServerSettings(path, host, address, secret, Optional.of(certificate), threads, memory, clients,
                order);
    }

    /** Returns a copy with another number of threads. */
    public ServerSettings withThreads(int other) {
        return new ServerSettings(path, host, address, secret, tls, other, memory, clients, order);
    }

    /** Returns a copy with another amount of memory. */
    public ServerSettings withMemory(long other) {
        return new ServerSettings(path, host, address, secret, tls, threads, other, clients, order);
    }

    /** Returns a copy with another largest number of clients. */
    public ServerSettings withClients(int other) {
        return new ServerSettings(path, host, address, secret, tls, threads, memory, other, order);
    }

    /** Returns a copy with another order. */
    public ServerSettings withOrder(Order other) {
        return new ServerSettings(path, host, address, secret, tls, threads, memory, clients, other);
    }
}
