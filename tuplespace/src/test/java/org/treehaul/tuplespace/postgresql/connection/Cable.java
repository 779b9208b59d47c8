// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Passes connections on to a server until it is cut: then nothing arrives any more, and no end notices it at once.
 * Counts what clients send.
 */
final class Cable implements AutoCloseable {

    private final ServerSocket entry;
    private final int server;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicLong messages = new AtomicLong();
    private volatile boolean isCut;

    Cable(int server) throws IOException {
        this.server = server;
        entry = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    int port() {
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
                    Thread.ofVirtual().start(() -> pass(client, other, messages));
                    Thread.ofVirtual().start(() -> pass(other, client, new AtomicLong()));
                }
            }
        } catch (IOException e) {
            // It is closed.
        }
    }

    private void pass(Socket from, Socket to, AtomicLong passed) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                passed.incrementAndGet();
                if (!isCut) {
                    out.write(buffer, 0, length);
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
