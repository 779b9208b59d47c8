// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Path;

import javax.net.SocketFactory;

/** Makes the sockets of the driver, which loads it by its name, for a server's socket in the file system. */
public final class UnixSocketFactory extends SocketFactory {

    private final Path file;

    /**
     * Called by the driver.
     *
     * @param file the socket of the server
     */
    public UnixSocketFactory(String file) {
        this.file = Path.of(file);
    }

    @Override
    public Socket createSocket() {
        return new UnixSocket(file);
    }

    @Override
    public Socket createSocket(String host, int port) throws SocketException {
        throw connected();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) throws SocketException {
        throw connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws SocketException {
        throw connected();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) throws SocketException {
        throw connected();
    }

    private SocketException connected() {
        return new SocketException(file + " has no host and port");
    }
}
