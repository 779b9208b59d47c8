// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.StageServer;

/** A server of one connection that may break the protocol: it does what the test says. */
final class FakeServer implements AutoCloseable {

    static final UUID DIRECTORY = new UUID(7, 7);

    /** Handles the connection of the client. */
    @FunctionalInterface
    interface Script {
        void run(FakeServer server) throws Exception;
    }

    private final ServerSocket listener;
    private final CompletableFuture<Void> end;
    DataInputStream in;
    DataOutputStream out;

    private FakeServer(Script script) throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        in = new DataInputStream(DataInputStream.nullInputStream());
        out = new DataOutputStream(DataOutputStream.nullOutputStream());
        end = CompletableFuture.runAsync(() -> {
            try (Socket socket = listener.accept()) {
                in = new DataInputStream(socket.getInputStream());
                out = new DataOutputStream(socket.getOutputStream());
                script.run(this);
            } catch (Exception e) {
                // The client has ended the connection, which the test expects.
                return;
            }
        }, task -> Thread.ofPlatform().start(task));
    }

    static FakeServer start(Script script) throws IOException {
        return new FakeServer(script);
    }

    StageServer address() {
        return new StageServer("run", "fake", "here", DIRECTORY, ByteString.of("/fake"),
                "127.0.0.1:" + listener.getLocalPort());
    }

    /** Admits the client with a code of the given secret, without verifying the proof of the client. */
    void admit(RunSecret own, RunSecret ofClient) throws IOException {
        byte[] number = Greeting.newNumber();
        send(Greeting.ofServer(ByteBufAllocator.DEFAULT, number));
        in.readNBytes(Wire.MAGIC_BYTES + Greeting.ID_BYTES);
        byte[] theirs = in.readNBytes(Greeting.NUMBER_BYTES);
        in.readNBytes(RunSecret.CODE_BYTES);
        send(Greeting.welcome(ByteBufAllocator.DEFAULT, Greeting.serverCode(own, number, theirs, DIRECTORY, Tls.none()),
                DIRECTORY, 4 << 20));
    }

    /** Reads a request, and returns its id. */
    long request() throws IOException {
        int length = in.readInt();
        in.readInt();
        byte[] frame = in.readNBytes(length);
        return ByteBuffer.wrap(frame).getLong(1);
    }

    /** Answers a request with a number. */
    void answer(long id, long value) throws IOException {
        send(Answer.end(Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, id, 0), value));
    }

    /** Answers a request with data. */
    void answer(long id, byte[] data) throws IOException {
        send(Answer.end(Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, id, data.length).writeBytes(data),
                data.length));
    }

    void send(ByteBuf buffer) throws IOException {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.readBytes(bytes);
        buffer.release();
        out.write(bytes);
        out.flush();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        end.join();
    }
}
