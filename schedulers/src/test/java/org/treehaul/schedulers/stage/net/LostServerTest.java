// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;

/** A client reports a server that is silent, ends, or sends an answer without a request. */
class LostServerTest {

    private static final SegmentKey KEY = Bytes.key(1);

    @TempDir
    Path place;
    private RunSecret secret;

    @BeforeEach
    void makeSecret() throws Exception {
        ByteString file = Served.secretFile(place.resolve("secret"), Served.SECRET);
        secret = RunSecret.read(file);
    }

    @Test
    void aSilentServerFailsTheCallsThatWait() throws Exception {
        AtomicLong clock = new AtomicLong();
        CountDownLatch asked = new CountDownLatch(1);
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            server.request();
            asked.countDown();
            server.in.readAllBytes();
        });
                SegmentClients clients = new SegmentClients(secret, false, Duration.ofSeconds(30), clock::get);
                Segments segments = clients.open(fake.address())) {
            Thread time = pass(clock, asked);
            assertThatThrownBy(() -> Bytes.write(segments, KEY, 0, new byte[100])).isInstanceOf(StageException.class)
                    .hasMessageContaining("segment " + KEY + " on server fake (127.0.0.1:")
                    .hasMessageContaining("write: it has been silent for 30 s: the process is stopped, or its host or "
                            + "network is down; it is unknown whether it took effect");
            time.interrupt();
            time.join();
        }
    }

    // Lets time pass fast from a moment on, until the thread is interrupted.
    private static Thread pass(AtomicLong clock, CountDownLatch from) {
        return Thread.ofVirtual().start(() -> {
            try {
                from.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            while (!Thread.currentThread().isInterrupted()) {
                // The connection looks at the clock each second, and first at what it has received.
                clock.addAndGet(Duration.ofSeconds(31).toNanos());
                LockSupport.parkNanos(100_000_000);
            }
        });
    }

    @Test
    void aHostThatDoesNotAnswerIsNotTriedAgainAtOnce() throws Exception {
        AtomicLong clock = new AtomicLong();
        CountDownLatch accepted = new CountDownLatch(1);
        try (SegmentClients clients = new SegmentClients(secret, false, Duration.ofSeconds(30), clock::get)) {
            StageServer address;
            try (FakeServer fake = FakeServer.start(server -> {
                accepted.countDown();
                server.in.readAllBytes();
            })) {
                address = fake.address();
                Thread time = pass(clock, accepted);
                assertThatThrownBy(() -> clients.open(address)).isInstanceOf(StageException.class)
                        .hasMessageContaining("connect: it has been silent for 30 s");
                time.interrupt();
                time.join();
            }
            // Nothing listens there any more, which an attempt would find.
            clock.set(0);
            assertThatThrownBy(() -> clients.open(address)).isInstanceOf(StageException.class)
                    .hasMessageContaining("connect: it has been silent for 30 s");
            clock.set(Duration.ofDays(1000).toNanos());
            assertThatThrownBy(() -> clients.open(address)).isInstanceOf(StageException.class)
                    .hasMessageContaining("connect: Connection refused");
        }
    }

    @Test
    void aHostThatIsDownInTheOwnNetworkDoesNotAnswerEither() {
        long seconds = Duration.ofSeconds(3).toNanos();
        assertThat(SegmentClients.isSilent(failure(new NoRouteToHostException("No route to host")), seconds)).isTrue();
        assertThat(SegmentClients.isSilent(failure(new ConnectException("Connection refused")), seconds)).isFalse();
        assertThat(SegmentClients.isSilent(failure(new IOException("it has been silent")), 2 * seconds)).isTrue();
    }

    @Test
    void theReasonOfTheOperatingSystemIsFoundBehindThoseOfTheNetworkLibrary() {
        IOException reason = new SocketException("Too many open files");
        assertThat(SegmentClients.reported(new ChannelException("Unable to create Channel",
                new InvocationTargetException(new ChannelException("Failed to open a socket.", reason)))))
                .isSameAs(reason);
        assertThat(SegmentClients.reported(reason)).isSameAs(reason);
        Exception other = new IllegalStateException("no reason");
        assertThat(SegmentClients.reported(other)).isSameAs(other);
    }

    private static StageException failure(IOException cause) {
        return new StageException("n1", "connect", 0, cause);
    }

    @Test
    void aServerThatDoesNotAdmitMayWorkOnAnEarlierRequest() throws Exception {
        AtomicLong clock = new AtomicLong();
        CountDownLatch proved = new CountDownLatch(1);
        try (FakeServer fake = FakeServer.start(server -> {
            server.send(Greeting.ofServer(ByteBufAllocator.DEFAULT, Greeting.newNumber()));
            server.in.readNBytes(Wire.MAGIC_BYTES + Greeting.CLIENT_BYTES);
            proved.countDown();
            server.in.readAllBytes();
        }); SegmentClients clients = new SegmentClients(secret, false, Duration.ofSeconds(30), clock::get)) {
            Thread time = pass(clock, proved);
            assertThatThrownBy(() -> clients.open(fake.address())).isInstanceOf(StageException.class)
                    .hasMessageContaining("connect: it has been silent for 30 s: it still works on a request of an "
                            + "earlier connection, or the process is stopped");
            time.interrupt();
            time.join();
        }
    }

    @Test
    void aServerThatEndsFailsTheCallsThatWait() throws Exception {
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            server.request();
        });
                SegmentClients clients = new SegmentClients(secret, false);
                Segments segments = clients.open(fake.address())) {
            assertThatThrownBy(() -> segments.size(KEY)).isInstanceOf(StageException.class)
                    .hasMessageContaining("segment " + KEY + " on server fake (127.0.0.1:")
                    .hasMessageContaining("size: it closed the connection");
        }
    }

    @Test
    void aServerThatAnswersTwiceIsLeft() throws Exception {
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            long first = server.request();
            server.answer(first, 11);
            long second = server.request();
            server.answer(first, 12);
            server.answer(second, 13);
            server.in.readAllBytes();
        });
                SegmentClients clients = new SegmentClients(secret, false);
                Segments segments = clients.open(fake.address())) {
            assertThat(segments.size(KEY)).isEqualTo(11);
            assertThatThrownBy(() -> segments.size(KEY)).isInstanceOf(StageException.class)
                    .hasMessageContaining("it answered request 1, which was not made or has its answer");
        }
    }

    @Test
    void answersInAnotherOrderFindTheirCalls() throws Exception {
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            long first = server.request();
            long second = server.request();
            server.answer(second, second);
            server.answer(first, first);
            server.in.readAllBytes();
        });
                SegmentClients clients = new SegmentClients(secret, false);
                Segments segments = clients.open(fake.address())) {
            long[] sizes = new long[1];
            Thread other = Thread.ofPlatform().start(() -> {
                try {
                    sizes[0] = segments.size(KEY);
                } catch (StageException e) {
                    sizes[0] = -1;
                }
            });
            long own = segments.size(KEY);
            other.join();
            assertThat(own + sizes[0]).isEqualTo(3);
        }
    }

    @Test
    void aDamagedAnswerIsNotUsed() throws Exception {
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            long id = server.request();
            ByteBuf answer = Answer.end(Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, id, 0), 5);
            server.send(answer.setByte(answer.writerIndex() - Wire.CRC_BYTES - 1, 4));
            server.in.readAllBytes();
        });
                SegmentClients clients = new SegmentClients(secret, false);
                Segments segments = clients.open(fake.address())) {
            assertThatThrownBy(() -> segments.size(KEY)).isInstanceOf(StageException.class)
                    .hasMessageContaining("size: the answer arrived damaged");
        }
    }

    @Test
    void anAnswerWithMoreThanWasAskedIsNotUsed() throws Exception {
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            long id = server.request();
            server.send(Answer.end(Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, id, 8).writeLong(1), 8));
            server.in.readAllBytes();
        });
                SegmentClients clients = new SegmentClients(secret, false);
                Segments segments = clients.open(fake.address())) {
            assertThatThrownBy(() -> segments.size(KEY)).isInstanceOf(StageException.class)
                    .hasMessageContaining("size: the answer arrived damaged");
        }
    }

    @Test
    void aSecondAnswerDoesNotReachTheMemoryOfTheCaller() throws Exception {
        int length = 100_000;
        try (FakeServer fake = FakeServer.start(server -> {
            server.admit(secret, secret);
            long first = server.request();
            server.answer(first, filled(length, 1));
            server.request();
            server.answer(first, filled(length, 2));
            server.in.readAllBytes();
        });
                SegmentClients clients = new SegmentClients(secret, false);
                Segments segments = clients.open(fake.address())) {
            MemorySegment into = Arena.ofAuto().allocate(length);
            assertThat(segments.read(KEY, List.of(new SegmentPart(0, into)))).isEqualTo(length);
            assertThatThrownBy(() -> segments.size(KEY)).isInstanceOf(StageException.class)
                    .hasMessageContaining("it answered request 1, which was not made or has its answer");
            assertThat(into.toArray(ValueLayout.JAVA_BYTE)).containsOnly(1);
        }
    }

    @Test
    void aLongAnswerThatIsDamagedOrTooLongIsNotUsed() throws Exception {
        int length = 100_000;
        for (int extra : new int[]{0, 1}) {
            try (FakeServer fake = FakeServer.start(server -> {
                server.admit(secret, secret);
                ByteBuf answer = Answer.end(
                        Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, server.request(), length + extra)
                                .writeBytes(filled(length + extra, 1)),
                        length);
                server.send(extra == 1 ? answer : answer.setByte(50_000, 4));
                server.in.readAllBytes();
            });
                    SegmentClients clients = new SegmentClients(secret, false);
                    Segments segments = clients.open(fake.address())) {
                MemorySegment into = Arena.ofAuto().allocate(length);
                assertThatThrownBy(() -> segments.read(KEY, List.of(new SegmentPart(0, into))))
                        .isInstanceOf(StageException.class)
                        .hasMessageContaining("read: the answer arrived damaged");
            }
        }
    }

    private static byte[] filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    @Test
    void anAnswerToARequestThatIsNotYetSentEndsTheConnection() throws Exception {
        List<ChannelPromise> held = new ArrayList<>();
        ClientConnection connection = new ClientConnection(new ClientConnection.Terms(secret, FakeServer.DIRECTORY,
                Optional.empty(), Duration.ofSeconds(30), System::nanoTime));
        EmbeddedChannel channel = new EmbeddedChannel(new ChannelOutboundHandlerAdapter() {
            @Override
            @SuppressWarnings("FutureReturnValueIgnored")
            public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
                if (connection.ready().isDone()) {
                    held.add(promise);
                } else {
                    context.write(message, promise);
                }
            }
        }, connection);
        byte[] number = Greeting.newNumber();
        channel.writeInbound(Greeting.ofServer(ByteBufAllocator.DEFAULT, number));
        ByteBuf proof = channel.readOutbound();
        proof.skipBytes(Wire.MAGIC_BYTES + Greeting.ID_BYTES);
        byte[] theirs = Greeting.bytes(proof, Greeting.NUMBER_BYTES);
        proof.release();
        channel.writeInbound(Greeting.welcome(ByteBufAllocator.DEFAULT,
                Greeting.serverCode(secret, number, theirs, FakeServer.DIRECTORY, Tls.none()), FakeServer.DIRECTORY,
                4 << 20));
        assertThat(connection.ready()).isCompleted();
        Call call = connection.send(new Request(Operation.SIZE, 1, KEY, 0, List.of(), List.of(), 0), Optional.empty());
        channel.writeInbound(Answer.end(Answer.begin(ByteBufAllocator.DEFAULT, Answer.Outcome.DONE, 1, 0), 5));
        assertThat(held).hasSize(1);
        assertThat(channel.isOpen()).isFalse();
        assertThat(connection.reason()).isEqualTo("it answered request 1 before it had all of it");
        assertThat(call.answer()).isCompletedExceptionally();
        held.getFirst().setFailure(new IOException("closed"));
        assertThatThrownBy(call::await).isInstanceOf(CompletionException.class);
    }
}
