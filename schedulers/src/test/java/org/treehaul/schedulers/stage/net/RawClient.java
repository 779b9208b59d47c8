// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.util.List;
import java.util.UUID;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentRange;
import org.treehaul.strategies.collective.order.CollectiveRequest;

/** A client that may break the protocol: each byte is that of the test. */
final class RawClient implements AutoCloseable {

    final Socket socket;
    final DataInputStream in;
    final DataOutputStream out;

    private RawClient(int port) throws IOException {
        socket = new Socket(InetAddress.getLoopbackAddress(), port);
        in = new DataInputStream(socket.getInputStream());
        out = new DataOutputStream(socket.getOutputStream());
    }

    /** Connects, and reads what the server says first. */
    static RawClient stranger(int port) throws IOException {
        return new RawClient(port);
    }

    /** Connects and proves the secret. */
    static RawClient member(int port, RunSecret secret, UUID client) throws IOException {
        RawClient raw = new RawClient(port);
        raw.prove(secret, client);
        raw.in.readNBytes(1 + Greeting.WELCOME_BYTES);
        return raw;
    }

    /** Proves the secret, and does not wait to be admitted. */
    void prove(RunSecret secret, UUID client) throws IOException {
        in.readNBytes(Wire.MAGIC_BYTES);
        byte[] theirs = in.readNBytes(Greeting.NUMBER_BYTES);
        byte[] number = Greeting.newNumber();
        send(Greeting.ofClient(ByteBufAllocator.DEFAULT, client, number,
                Greeting.clientCode(secret, theirs, number, client, Tls.none())));
    }

    /** Returns a request as bytes. */
    static byte[] bytes(Operation operation, long id, SegmentKey key, int room) {
        return bytes(new Request(operation, id, key, 0, List.of(), List.of(), room).frame(ByteBufAllocator.DEFAULT));
    }

    /** Returns a request to read the first bytes of a segment. */
    static byte[] read(long id, SegmentKey key, int length) {
        return bytes(new Request(Operation.READ, id, key, 0, List.of(new SegmentRange(0, length)), List.of(), length)
                .frame(ByteBufAllocator.DEFAULT));
    }

    /** Returns a request to read nothing of a segment, which belongs to an application. */
    static byte[] read(long id, SegmentKey key, CollectiveRequest origin) {
        return bytes(new Request(Operation.READ, id, key, 0, List.of(), List.of(), 0, origin)
                .frame(ByteBufAllocator.DEFAULT));
    }

    /** Returns a request with the right checksum and any values. */
    static byte[] nonsense(byte operation, long generation, int index, int ranges) {
        ByteBuf frame = ByteBufAllocator.DEFAULT.buffer()
                .writeInt(Wire.REQUEST_BYTES)
                .writeInt(0)
                .writeByte(operation)
                .writeLong(1)
                .writeZero(Wire.ORIGIN_BYTES)
                .writeLong(2)
                .writeLong(3)
                .writeLong(generation)
                .writeInt(index)
                .writeLong(0)
                .writeInt(ranges);
        return bytes(frame.writeInt(Wire.crc(frame, Integer.BYTES, frame.writerIndex() - Integer.BYTES)));
    }

    private static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        buffer.release();
        return bytes;
    }

    private void send(ByteBuf buffer) throws IOException {
        out.write(bytes(buffer));
        out.flush();
    }

    /** Reads the next answer, and returns the code of its outcome. */
    char outcome() throws IOException {
        byte[] frame = in.readNBytes(in.readInt());
        return (char) frame[0];
    }

    /** Waits until the server has ended the connection. */
    void awaitEnd() throws IOException {
        try {
            in.readAllBytes();
        } catch (SocketException reset) {
            // It had not read all that was sent.
            return;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
