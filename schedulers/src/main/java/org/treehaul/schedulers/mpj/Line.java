// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.entry.ByteString;

/**
 * The connection between a rank and rank 0, which lasts as long as the group. When the connection is lost, rank 0 knows
 * that the rank is gone, and the rank that rank 0 is.
 */
final class Line implements AutoCloseable {

    /** The interval at which each end sends a sign of life. */
    static final Duration BEAT = Duration.ofSeconds(1);
    private static final int LONGEST_REASON = 2000;

    /** A message on the line. */
    sealed interface Message {}

    /** The sender is alive. */
    record Beat() implements Message {}

    /** The ports that MPJ Express opened in a rank. */
    record Ports(int write, int read) implements Message {}

    /** The addresses of all ranks, sent when all have arrived. */
    record Table(List<Seat> seats) implements Message {
        Table {
            seats = List.copyOf(seats);
        }
    }

    /** The group is broken. */
    record Broken(String reason) implements Message {}

    /** The sender has finished with all ranks and leaves. */
    record Left() implements Message {}

    /** The address of a rank. */
    record Seat(String address, int write, int read, String host) {}

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;

    Line(Socket socket) throws IOException {
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

    InetAddress there() {
        return socket.getInetAddress();
    }

    InetAddress here() {
        return socket.getLocalAddress();
    }

    /** Sets how long to wait for a message. */
    void setPatience(Duration longest) throws IOException {
        socket.setSoTimeout(Math.clamp(longest.toMillis(), 1, Integer.MAX_VALUE));
    }

    synchronized void write(Message message) throws IOException {
        switch (message) {
            case Beat beat -> out.writeByte('b');
            case Ports ports -> {
                out.writeByte('p');
                out.writeInt(ports.write());
                out.writeInt(ports.read());
            }
            case Table table -> {
                out.writeByte('t');
                out.writeInt(table.seats().size());
                for (Seat seat : table.seats()) {
                    out.writeUTF(seat.address());
                    out.writeInt(seat.write());
                    out.writeInt(seat.read());
                    out.writeUTF(seat.host());
                }
            }
            case Broken broken -> {
                out.writeByte('x');
                out.writeUTF(broken.reason().substring(0, Math.min(LONGEST_REASON, broken.reason().length())));
            }
            case Left left -> out.writeByte('l');
        }
        out.flush();
    }

    Message read() throws IOException {
        int kind = in.readUnsignedByte();
        return switch (kind) {
            case 'b' -> new Beat();
            case 'p' -> new Ports(in.readInt(), in.readInt());
            case 't' -> {
                int size = in.readInt();
                List<Seat> seats = new ArrayList<>();
                for (int i = 0; i < size; i++) {
                    seats.add(new Seat(in.readUTF(), in.readInt(), in.readInt(), text()));
                }
                yield new Table(seats);
            }
            case 'x' -> new Broken(text());
            case 'l' -> new Left();
            default -> throw new IOException("not a message of this version: " + kind);
        };
    }

    // The text will be printed, and the other end may send anything.
    private String text() throws IOException {
        return ByteString.printable(in.readUTF());
    }

    /** Informs the other end that the group is broken, on the returned thread, because the line may hang. */
    Thread tell(String reason) {
        Runnable message = () -> {
            try {
                write(new Broken(reason));
            } catch (IOException e) {
                // The other end notices the end of this one.
            }
        };
        Thread thread = Thread.ofPlatform().daemon().unstarted(message);
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            // The limit of threads is reached, or memory is short: that may be why the group breaks.
            message.run();
        }
        return thread;
    }

    /** Sends signs of life until the line is closed. */
    void beat() {
        Thread.ofPlatform().daemon().name("treehaul-beat").start(() -> {
            try {
                while (!socket.isClosed()) {
                    Thread.sleep(BEAT);
                    write(new Beat());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } catch (IOException e) {
                // The reader at this end notices the failure as well.
            }
        });
    }

    /** Describes the state of the other end after a read from it failed. */
    static String fate(IOException e, Duration silence) {
        return e instanceof InterruptedIOException ? "has sent nothing for " + silence.toSeconds() + " s" : "is gone";
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // The line is not used any more.
        }
    }
}
