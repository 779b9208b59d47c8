// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import org.treehaul.core.state.Host;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;
import org.treehaul.strategies.ranks.communicator.Transport;

/**
 * Runs the one rank of this process, over the device niodev.
 *
 * <p>
 * MPJ Express sends its ports to a server, in clear text and without authenticating it, and reads the ports of the
 * others from there. TreeHaul provides that server on the loopback interface of each host; the traffic between the
 * hosts goes over the protected lines of the rendezvous.
 */
final class Processes implements Transport {

    private static final int GRACE_SECONDS = 2;
    private static final int LOOK_MILLIS = 100;
    // Each larger frame would cost a thread.
    private static final int EAGER_LIMIT = 131_072;
    // The server's answer is one string in Java's modified UTF-8.
    private static final int LONGEST_TABLE = 65_535;

    private final MpjHome home;
    private final RankPlace place;
    private final Consumer<String> broken;

    Processes(MpjHome home, RankPlace place, Consumer<String> broken) {
        this.home = home;
        this.place = place;
        this.broken = broken;
    }

    @Override
    public void run(List<Integer> hosts, Consumer<Communicator> rank) {
        if (hosts.size() != place.size()) {
            throw new IllegalArgumentException(hosts.size() + " hosts for " + place.size() + " ranks");
        }
        if (place.rank() > 0) {
            join(rank, reason -> {
            });
            return;
        }
        try (Rendezvous rendezvous = Rendezvous.open(place)) {
            try {
                // The rendezvous may end before it has read a report of this rank.
                join(rank, rendezvous::breakGroup);
            } catch (RuntimeException | Error e) {
                rendezvous.breakGroup(failure(e));
                throw e;
            }
        }
    }

    private String failure(Throwable e) {
        return place.name() + " failed: " + (e instanceof RanksException ? e.getMessage() : e);
    }

    // MPJ Express needs the host name, and its own message for a missing one does not help. Checked when the others can
    // be informed.
    private static void requireName() {
        try {
            InetAddress.getLocalHost();
        } catch (UnknownHostException e) {
            // The message of the exception names the host amid internals of the JDK.
            throw new RanksException("the name of this host does not resolve: " + Host.nameOr("there is none")
                    + "; MPJ Express needs it (a line in /etc/hosts is enough)", e);
        }
    }

    private void join(Consumer<Communicator> rank, Consumer<String> alsoBroken) {
        try (RemoteLifeline lifeline = RemoteLifeline.join(place)) {
            lifeline.onBreak(broken);
            lifeline.onBreak(alsoBroken);
            try {
                runRank(lifeline, rank);
            } catch (RuntimeException | Error e) {
                if (e instanceof RanksException) {
                    throwReason(lifeline);
                }
                lifeline.report(failure(e));
                throw e;
            }
        }
    }

    // MPJ Express fails as soon as a rank is gone, but only the lifeline knows which one, a moment later.
    private static void throwReason(RemoteLifeline lifeline) {
        CompletableFuture<String> reason = new CompletableFuture<>();
        lifeline.onBreak(reason::complete);
        String known = reason.completeOnTimeout("", GRACE_SECONDS, TimeUnit.SECONDS).join();
        if (!known.isEmpty()) {
            throw new RanksException(known);
        }
    }

    private void runRank(RemoteLifeline lifeline, Consumer<Communicator> rank) {
        CompletableFuture<MpjRank> started = new CompletableFuture<>();
        lifeline.onBreak(reason -> started.completeExceptionally(new RanksException(reason)));
        requireName();
        Line.Table table;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String configuration = "#Number of Processes;" + place.size() + ";#Protocol Switch Limit;" + EAGER_LIMIT
                    + ";#Server Name;127.0.0.1;#Server Port;" + server.getLocalPort();
            Thread.ofPlatform().daemon(true).name("treehaul-mpj-starts").start(() -> {
                try {
                    started.complete(
                            MpjRank.init(home.network(), Integer.toString(place.rank()), configuration, "niodev"));
                } catch (Throwable e) {
                    started.completeExceptionally(e);
                }
            });
            table = exchange(lifeline, server, started);
        } catch (IOException e) {
            throw new RanksException("MPJ Express failed to start: " + e, e);
        }
        MpjRank mpi = await(started);
        MpjCommunicator communicator = new MpjCommunicator(mpi,
                Members.on(table.seats().stream().map(Line.Seat::host).toList()), lifeline, place.silenceLimit());
        rank.accept(communicator);
        communicator.close();
        lifeline.left();
        communicator.awaitEnd();
    }

    private Line.Table exchange(RemoteLifeline lifeline, ServerSocket server, CompletableFuture<MpjRank> started)
            throws IOException {
        try (Socket socket = accept(server, started)) {
            DataInputStream in = new DataInputStream(socket.getInputStream());
            String request = in.readUTF();
            int write = in.readInt();
            int read = in.readInt();
            if (!request.startsWith("Sending Info") || in.readInt() != place.rank()) {
                throw new IOException("a program other than MPJ Express connected to port " + server.getLocalPort());
            }
            Line.Table table = lifeline.exchange(new Line.Ports(write, read));
            StringBuilder answer = new StringBuilder("#Peer Information");
            for (int i = 0; i < table.seats().size(); i++) {
                Line.Seat seat = table.seats().get(i);
                answer.append(';')
                        .append(seat.address())
                        .append('@')
                        .append(seat.read())
                        .append('@')
                        .append(seat.write())
                        .append('@')
                        .append(i)
                        .append("@0");
            }
            if (answer.length() > LONGEST_TABLE) {
                throw new RanksException(
                        "MPJ Express cannot take " + place.size() + " ranks; use fewer ranks with more threads");
            }
            new DataOutputStream(socket.getOutputStream()).writeUTF(answer.toString());
            return table;
        }
    }

    private Socket accept(ServerSocket server, CompletableFuture<MpjRank> started) throws IOException {
        server.setSoTimeout(LOOK_MILLIS);
        while (true) {
            try {
                return server.accept();
            } catch (SocketTimeoutException e) {
                if (started.isDone()) {
                    await(started);
                    throw new IOException("it sent no request", e);
                }
            }
        }
    }

    private MpjRank await(CompletableFuture<MpjRank> started) {
        try {
            return started.get(place.arrivalLimit().toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RanksException ranks) {
                throw ranks;
            }
            throw new RanksException("MPJ Express failed to start: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new RanksException("MPJ Express has been connecting " + place.name() + " to the others for more than "
                    + place.arrivalLimit().toSeconds()
                    + " s: the TCP ports 25000 to 40000 must be open between the nodes", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException(place.name() + " was interrupted", e);
        }
    }
}
