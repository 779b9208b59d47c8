// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import java.util.ArrayDeque;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes that a connection receives into pieces whose lengths are known before. A subclass says how long the
 * next one is, and may pause: then nothing more is read, and what the other end sends waits in its kernel. All methods
 * are called by the thread of the connection.
 */
abstract class Pieces extends ChannelInboundHandlerAdapter {

    private static final int LEAST_READ = 2048;
    private static final int FIRST_READ = 16 * 1024;
    // A larger rest of a piece is read from the socket into its own memory, a smaller one with what follows it.
    private static final int SMALL_READ = 16 * 1024;

    // Filled by one read from the socket, or by one record of TLS, and while the connection is paused by no other.
    private final ArrayDeque<ByteBuf> received = new ArrayDeque<>();
    private @Nullable ByteBuf piece;
    // The bytes that the piece had when it was given to the channel.
    private int before;
    private boolean isPaused;
    private boolean isEnded;
    private long numberReceived;

    /**
     * Sets how a new channel reads: without TLS, what is missing of a long piece goes from the socket to its place, and
     * is copied nowhere else.
     */
    final void readBy(Channel channel, boolean isEncrypted) {
        channel.config()
                .setRecvByteBufAllocator(isEncrypted
                        ? new AdaptiveRecvByteBufAllocator(LEAST_READ, FIRST_READ, Wire.MOST_DATA)
                        : Receiving::new);
    }

    /** Gives the channel the piece itself as the memory of a read. */
    private final class Receiving extends RecvByteBufAllocator.DelegatingHandle {

        Receiving() {
            super(new FixedRecvByteBufAllocator(SMALL_READ).newHandle());
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf to = piece;
            if (to == null || isPaused || to.writableBytes() < SMALL_READ || !received.isEmpty()) {
                return super.allocate(allocator);
            }
            before = to.writerIndex();
            return to.retain();
        }
    }

    /** Sends bytes; the connection ends if that fails. */
    static void send(ChannelHandlerContext context, ByteBuf bytes) {
        context.writeAndFlush(bytes).addListener(ChannelFutureListener.CLOSE_ON_FAILURE);
    }

    /** Ends the connection, which {@link #ended} reports. */
    @SuppressWarnings("FutureReturnValueIgnored")
    static void close(ChannelHandlerContext context) {
        context.close();
    }

    /** Sets the length of the next piece, 1 or more. */
    final void expect(ChannelHandlerContext context, int bytes) {
        piece = context.alloc().directBuffer(bytes, bytes);
    }

    /** Sets memory of the subclass for the next piece, with room for 1 byte or more. It is released with the piece. */
    final void expect(ByteBuf own) {
        piece = own;
    }

    /** Handles a complete piece, which it releases. It calls {@link #expect} or {@link #pause}. */
    abstract void complete(ChannelHandlerContext context, ByteBuf full) throws Wire.BrokenException;

    /** Handles the end of a connection on which the other end broke the protocol, or that failed. */
    abstract void broken(ChannelHandlerContext context, Throwable cause);

    /** Handles the end of the connection. Called once. */
    abstract void ended(ChannelHandlerContext context);

    final void pause(ChannelHandlerContext context) {
        isPaused = true;
        context.channel().config().setAutoRead(false);
    }

    /** Continues after a pause; {@link #expect} was called. */
    final void goOn(ChannelHandlerContext context) {
        isPaused = false;
        cut(context);
        if (!isPaused) {
            context.channel().config().setAutoRead(true);
        }
    }

    /** Returns whether a piece is incomplete, so that the other end has to send more. */
    final boolean isInside() {
        ByteBuf begun = piece;
        return begun != null && begun.writerIndex() > 0;
    }

    final boolean isPaused() {
        return isPaused;
    }

    final boolean isEnded() {
        return isEnded;
    }

    /** Returns the number of bytes received so far. */
    final long numberReceived() {
        return numberReceived;
    }

    @Override
    @SuppressWarnings("ReferenceEquality") // The very piece that the channel was given; buffers are equal by content.
    public final void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (isEnded) {
            bytes.release();
            return;
        }
        if (bytes == piece) {
            numberReceived += bytes.writerIndex() - before;
            before = bytes.writerIndex();
            bytes.release();
        } else {
            numberReceived += bytes.readableBytes();
            received.add(bytes);
        }
        cut(context);
    }

    private void cut(ChannelHandlerContext context) {
        try {
            while (!isPaused && !isEnded) {
                ByteBuf to = piece;
                if (to == null) {
                    return;
                }
                if (!to.isWritable()) {
                    piece = null;
                    complete(context, to);
                    continue;
                }
                ByteBuf next = received.peek();
                if (next == null) {
                    return;
                }
                to.writeBytes(next, Math.min(next.readableBytes(), to.writableBytes()));
                if (!next.isReadable()) {
                    received.remove().release();
                }
            }
        } catch (Wire.BrokenException | RuntimeException e) {
            end(context, e);
        }
    }

    @Override
    public final void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        end(context, cause);
    }

    @Override
    public final void channelInactive(ChannelHandlerContext context) {
        end(context, null);
    }

    private void end(ChannelHandlerContext context, @Nullable Throwable cause) {
        if (isEnded) {
            return;
        }
        isEnded = true;
        if (cause != null) {
            broken(context, cause);
        }
        close(context);
        for (ByteBuf rest : received) {
            rest.release();
        }
        received.clear();
        ByteBuf begun = piece;
        if (begun != null) {
            begun.release();
            piece = null;
        }
        ended(context);
    }
}
