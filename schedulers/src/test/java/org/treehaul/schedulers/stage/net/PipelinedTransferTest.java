// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.EventExecutor;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.strategies.collective.order.CollectiveRequest;
import org.treehaul.strategies.collective.order.ShuffleHint;

/** Operations for which no thread waits, while the threads of the network end. */
class PipelinedTransferTest {

    @TempDir
    Path place;

    private static <T> T of(Class<T> type, InvocationHandler calls) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[]{type}, calls));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOperationEndsIfTheThreadsOfTheNetworkEndJustAfterItsRequestWasSent(boolean isWrite) throws Exception {
        RunSecret secret = RunSecret.read(Served.secretFile(place.resolve("secret"), Served.SECRET));
        ClientConnection connection = new ClientConnection(new ClientConnection.Terms(secret, UUID.randomUUID(),
                Optional.empty(), Duration.ofSeconds(30), System::nanoTime));
        AtomicBoolean hasEnded = new AtomicBoolean();
        EventExecutor thread = of(EventExecutor.class, (self, method, arguments) -> switch (method.getName()) {
            case "execute" -> throw new RejectedExecutionException("the thread has ended");
            case "isShutdown" -> hasEnded.get();
            case "inEventLoop" -> false;
            default -> null;
        });
        EmbeddedChannel channel = new EmbeddedChannel();
        ChannelHandlerContext context = of(ChannelHandlerContext.class,
                (self, method, arguments) -> switch (method.getName()) {
                    case "executor" -> thread;
                    case "alloc" -> ByteBufAllocator.DEFAULT;
                    case "newPromise" -> new DefaultChannelPromise(channel, thread);
                    case "writeAndFlush" -> {
                        // All of this before the caller goes on.
                        ((ByteBuf) arguments[0]).release();
                        ChannelPromise sent = ((ChannelPromise) arguments[1]).setSuccess();
                        connection.channelInactive((ChannelHandlerContext) self);
                        hasEnded.set(true);
                        yield sent;
                    }
                    default -> null;
                });
        connection.channelActive(context);
        connection.giveBack(1 << 20);
        StageServer server = new StageServer("job", "s1", "node1", UUID.randomUUID(), ByteString.of("/d"), "node1:1");
        RemoteSegments segments = new RemoteSegments(server, (to, client) -> connection, 1, closed -> {});
        PipelinedTransfer transfer = new PipelinedTransfer(segments, connection,
                isWrite ? Operation.WRITE : Operation.READ, Bytes.key(1),
                List.of(new SegmentPart(0, Bytes.memory(new byte[100]))),
                new CollectiveRequest(1, 0, 0, ShuffleHint.NONE));
        assertThat(transfer.begin()).isCompletedExceptionally();
    }
}
