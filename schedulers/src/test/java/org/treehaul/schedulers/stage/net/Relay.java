// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;

/** Stands between a client and a server with a certificate of its own, and passes on each byte. */
final class Relay implements AutoCloseable {

    private final ServerSocket listener;
    private final CompletableFuture<Void> end;

    private Relay(ServerSocket listener, int to) {
        this.listener = listener;
        SSLContext trusting = ((JdkSslContext) Relay.client()).context();
        this.end = CompletableFuture.runAsync(() -> {
            try (Socket client = listener.accept();
                    Socket server = trusting.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), to)) {
                Thread back = Thread.ofPlatform().start(() -> pass(server, client));
                pass(client, server);
                back.join();
            } catch (IOException | InterruptedException e) {
                // The test is over.
                return;
            }
        }, task -> Thread.ofPlatform().start(task));
    }

    private static SslContext client() {
        try {
            return Tls.ofClient();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    static Relay start(ServerSettings.Certificate certificate, int to) throws IOException {
        SSLContext own = ((JdkSslContext) Tls.ofServer(certificate.chain(), certificate.key())).context();
        return new Relay(own.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress()), to);
    }

    int port() {
        return listener.getLocalPort();
    }

    private static void pass(Socket from, Socket to) {
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[4096];
            for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
                out.write(bytes, 0, n);
                out.flush();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // One end is gone.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        end.join();
    }
}
