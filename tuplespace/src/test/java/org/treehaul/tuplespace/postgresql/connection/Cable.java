// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * Passes connections on to a server until it is cut: then nothing arrives any more, and no end notices it at once.
 * Counts what clients send.
 */
public final class Cable implements AutoCloseable {

    private final ServerSocket entry;
    private final int server;
    private final UnaryOperator<String> requests;
    private final UnaryOperator<String> answers;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicLong messages = new AtomicLong();
    private volatile boolean isCut;

    Cable(int server) throws IOException {
        this(server, UnaryOperator.identity());
    }

    /**
     * Makes one that changes what the server answers.
     *
     * @param answers changes characters of the answers, but not their number
     */
    Cable(int server, UnaryOperator<String> answers) throws IOException {
        this(server, UnaryOperator.identity(), answers);
    }

    private Cable(int server, UnaryOperator<String> requests, UnaryOperator<String> answers) throws IOException {
        this.server = server;
        this.requests = requests;
        this.answers = answers;
        entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /**
     * Makes one that changes what clients send.
     *
     * @param requests changes characters of the requests, but not their number
     */
    public static Cable changing(int server, UnaryOperator<String> requests) throws IOException {
        return new Cable(server, requests, UnaryOperator.identity());
    }

    public int port() {
        return entry.getLocalPort();
    }

    /** Returns how often clients have sent something before they waited for an answer. */
    long messages() {
        return messages.get();
    }

    void cut() {
        isCut = true;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = entry.accept();
                sockets.add(client);
                if (!isCut) {
                    Socket other = new Socket(InetAddress.getLoopbackAddress(), server);
                    sockets.add(other);
                    Thread.ofVirtual().start(() -> pass(client, other, messages, requests));
                    Thread.ofVirtual().start(() -> pass(other, client, new AtomicLong(), answers));
                }
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void pass(Socket from, Socket to, AtomicLong passed, UnaryOperator<String> change) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                passed.incrementAndGet();
                if (!isCut) {
                    String text = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
                    out.write(change.apply(text).getBytes(StandardCharsets.ISO_8859_1));
                }
            }
            to.close();
        } catch (IOException e) {
            // It is closed.
        }
    }

    @Override
    public void close() throws IOException {
        entry.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
