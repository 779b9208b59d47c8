// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.postgresql.connection;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * A connection to a socket in the file system, as the {@link Socket} that the driver expects; Java itself has only a
 * channel for them. It does not block in the channel, but in a selector, because reads have a time limit, and because
 * an interrupt of a thread must not close the connection. One thread at a time may read or write; any may close.
 */
final class UnixSocket extends Socket {

    private record Opened(SocketChannel channel, Selector selector, SelectionKey key) {}

    private final Path file;
    private volatile @Nullable Opened opened;
    private volatile boolean isClosed;
    private int timeout;

    UnixSocket(Path file) {
        this.file = file;
    }

    /** Connects to the file of the socket; ignores the address. */
    @Override
    public void connect(SocketAddress unused, int millis) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(file));
            channel.configureBlocking(false);
            Selector selector = Selector.open();
            opened = new Opened(channel, selector, channel.register(selector, 0));
        } catch (IOException e) {
            channel.close();
            // A refused connection would make the driver name a host and a port.
            throw new SocketException(file + ": " + e.getMessage(), e);
        } catch (RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private Opened opened() throws SocketException {
        Opened now = opened;
        if (now == null || isClosed) {
            throw new SocketException(file + ": the connection is " + (isClosed ? "closed" : "not open"));
        }
        return now;
    }

    /**
     * Waits until the channel is ready.
     *
     * @param millis time limit; 0 for none
     */
    private void await(Opened connection, int operation, int millis) throws IOException {
        long end = System.nanoTime() + millis * 1_000_000L;
        boolean wasInterrupted = false;
        try {
            connection.key().interestOps(operation);
            while (connection.selector().selectedKeys().isEmpty()) {
                long left = end - System.nanoTime();
                if (millis != 0 && left <= 0) {
                    throw new SocketTimeoutException(file + ": no answer within " + millis + " ms");
                }
                // An interrupted thread would not wait.
                wasInterrupted |= Thread.interrupted();
                connection.selector().select(millis == 0 ? 0 : left / 1_000_000 + 1);
            }
            connection.selector().selectedKeys().clear();
        } catch (ClosedSelectorException | CancelledKeyException e) {
            throw new SocketException(file + ": the connection is closed", e);
        } finally {
            if (wasInterrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public InputStream getInputStream() {
        return new InputStream() {
            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] to, int offset, int length) throws IOException {
                Opened connection = opened();
                ByteBuffer buffer = ByteBuffer.wrap(to, offset, length);
                int count = connection.channel().read(buffer);
                while (count == 0 && length > 0) {
                    await(connection, SelectionKey.OP_READ, timeout);
                    count = connection.channel().read(buffer);
                }
                return count;
            }

            @Override
            public void close() throws IOException {
                UnixSocket.this.close();
            }
        };
    }

    @Override
    public OutputStream getOutputStream() {
        return new OutputStream() {
            @Override
            public void write(int b) throws IOException {
                write(new byte[]{(byte) b}, 0, 1);
            }

            @Override
            public void write(byte[] from, int offset, int length) throws IOException {
                Opened connection = opened();
                ByteBuffer buffer = ByteBuffer.wrap(from, offset, length);
                while (connection.channel().write(buffer) >= 0 && buffer.hasRemaining()) {
                    await(connection, SelectionKey.OP_WRITE, 0);
                }
            }

            @Override
            public void close() throws IOException {
                UnixSocket.this.close();
            }
        };
    }

    @Override
    public void close() throws IOException {
        isClosed = true;
        Opened now = opened;
        if (now != null) {
            try (SocketChannel channel = now.channel()) {
                channel.shutdownOutput();
            } catch (ClosedChannelException e) {
                // Closed before.
            } finally {
                // Wakes a thread that waits.
                now.selector().close();
            }
        }
    }

    @Override
    public boolean isConnected() {
        return opened != null;
    }

    @Override
    public boolean isClosed() {
        return isClosed;
    }

    @Override
    public void setSoTimeout(int millis) {
        timeout = millis;
    }

    @Override
    public int getSoTimeout() {
        return timeout;
    }

    @Override
    public void setSendBufferSize(int size) throws SocketException {
        // The default of the kernel is larger than what the driver proposes.
    }

    @Override
    public int getSendBufferSize() throws SocketException {
        try {
            return opened().channel().getOption(StandardSocketOptions.SO_SNDBUF);
        } catch (IOException e) {
            throw new SocketException(e.getMessage(), e);
        }
    }

    @Override
    public void setReceiveBufferSize(int size) {
        // As above.
    }

    @Override
    public int getReceiveBufferSize() throws SocketException {
        return getSendBufferSize();
    }

    @Override
    public void setTcpNoDelay(boolean isOn) {
        // There is no delay.
    }

    @Override
    public boolean getTcpNoDelay() {
        return true;
    }

    @Override
    public void setKeepAlive(boolean isOn) {
        // The kernel reports the end of the server at once.
    }

    @Override
    public boolean getKeepAlive() {
        return false;
    }

    @Override
    public String toString() {
        return file.toString();
    }
}
