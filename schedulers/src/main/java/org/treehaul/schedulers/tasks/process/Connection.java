// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.tasks.process;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.jspecify.annotations.Nullable;

/**
 * The connection between the creator of a group and one of its processes. One thread reads; any thread may send, and
 * none of them waits for the other end, because a thread of its own writes. That thread sends a sign of life when there
 * is nothing else. Those who send messages ask for room before, so that its memory is bounded by 16 MiB and a message
 * for each receive that waits.
 */
final class Connection implements AutoCloseable {

    private static final Duration BEAT = Duration.ofSeconds(1);
    // Each task of a process has at most one request on its way for each of its threads, and each request one answer:
    // a process that reaches this does not keep to the protocol, or has as many threads.
    private static final int MOST = 1 << 16;
    // Sixteen of the longest messages. Beyond it senders wait, and receives of the other end are put off.
    private static final long ROOM = 16 << 20;

    /** Something to write, and the future to complete afterwards, if there is one. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Item(byte @Nullable [] frame, @Nullable CompletableFuture<Boolean> written) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final LinkedBlockingQueue<Item> queue = new LinkedBlockingQueue<>(MOST);
    private final Object room = new Object();
    private long waiting;
    private volatile Runnable drained = () -> {
    };
    private final Thread writer = Thread.ofPlatform().name("treehaul-tasks-writer").daemon(true).unstarted(this::write);

    Connection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
        out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    DataInputStream in() {
        return in;
    }

    DataOutputStream out() {
        return out;
    }

    /** Sets how long to wait for bytes of the other end. */
    void setPatience(Duration longest) throws IOException {
        socket.setSoTimeout(Math.clamp(longest.toMillis(), 1, Integer.MAX_VALUE));
    }

    /** Begins to write, after the proof. */
    void start() {
        writer.start();
    }

    /**
     * Sets what the thread that writes does after each frame, such as to take up requests that were put off for lack of
     * room.
     */
    void whenDrained(Runnable action) {
        drained = action;
    }

    /** Sends a frame; does nothing if the connection is closed. */
    void send(Frame frame) {
        byte[] bytes = FrameFormat.bytes(frame);
        synchronized (room) {
            waiting += bytes.length;
        }
        if (!queue.offer(new Item(bytes, null))) {
            close();
        }
    }

    /** Returns whether few enough bytes wait to be written that more may be added. */
    boolean hasRoom() {
        synchronized (room) {
            return waiting < ROOM;
        }
    }

    /** Waits until there is room, or the connection is closed. An interrupt is kept for the next call that waits. */
    void awaitRoom() {
        boolean isInterrupted = false;
        synchronized (room) {
            while (waiting >= ROOM && !socket.isClosed()) {
                try {
                    room.wait();
                } catch (InterruptedException e) {
                    isInterrupted = true;
                }
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void written(int bytes) {
        synchronized (room) {
            waiting -= bytes;
            room.notifyAll();
        }
        drained.run();
    }

    /** Waits until everything that was sent has been given to the system, or the time is over. */
    void flush(Duration longest) throws InterruptedException {
        CompletableFuture<Boolean> written = new CompletableFuture<>();
        if (queue.offer(new Item(null, written)) && writer.isAlive()) {
            written.completeOnTimeout(false, longest.toMillis(), TimeUnit.MILLISECONDS);
            try {
                written.get();
            } catch (ExecutionException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private void write() {
        try {
            while (!socket.isClosed()) {
                Item item = queue.poll(BEAT.toMillis(), TimeUnit.MILLISECONDS);
                byte[] frame = item == null ? FrameFormat.bytes(new Frame.Beat()) : item.frame();
                if (frame != null) {
                    out.writeInt(frame.length);
                    out.write(frame);
                }
                if (queue.isEmpty() || frame == null) {
                    out.flush();
                }
                if (item != null && item.written() != null) {
                    item.written().complete(true);
                }
                written(item == null || frame == null ? 0 : frame.length);
            }
        } catch (IOException e) {
            // The reader finds the connection closed.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    /**
     * Reads a frame; waits for it.
     *
     * @throws EOFException if the other end is gone
     * @throws SocketTimeoutException if it has sent nothing for the time set
     * @throws IOException if the connection is broken, or the frame is malformed
     */
    Frame read() throws IOException {
        int length = in.readInt();
        if (length < 1 || length > FrameFormat.LONGEST) {
            throw new IOException("a malformed frame of " + length + " bytes");
        }
        byte[] frame = in.readNBytes(length);
        if (frame.length < length) {
            throw new EOFException();
        }
        return FrameFormat.read(frame);
    }

    /** Closes the connection at once. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The connection is not used any more.
        }
        synchronized (room) {
            room.notifyAll();
        }
        // The thread that writes may wait for something to write.
        var _ = queue.offer(new Item(null, null));
    }

    /** Waits for the end of the thread that writes, after the connection was closed. */
    void join() throws InterruptedException {
        if (writer.getState() != Thread.State.NEW) {
            writer.join();
        }
    }
}
