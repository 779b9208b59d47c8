// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.schedulers.common.net.HostAddresses;
import org.treehaul.schedulers.common.net.Secret;
import org.treehaul.schedulers.common.net.UnverifiedConnections;
import org.treehaul.strategies.ranks.communicator.RanksException;

/**
 * The meeting of the ranks of a group in the process of rank 0, which joins like the others. It verifies that each rank
 * comes once and has the same version and plan, sends every rank the addresses of the others, and afterwards reports
 * which one is gone.
 */
final class Rendezvous implements AutoCloseable {

    private static final Duration LONGEST_HANDSHAKE = Duration.ofSeconds(5);
    private static final Duration LONGEST_FAREWELL = Duration.ofSeconds(5);
    // While no descriptor is free, each attempt to accept a connection fails at once.
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** A rank that has arrived. */
    private static final class Arrival {
        private final Line line;
        private final Handshake.Hello hello;
        private Line.@Nullable Ports ports;
        private boolean left;

        private Arrival(Line line, Handshake.Hello hello) {
            this.line = line;
            this.hello = hello;
        }

        private String name() {
            return Members.name(hello.rank(), hello.host());
        }
    }

    private final RankPlace place;
    private final String secret = Secret.make();
    private final ServerSocket server;
    private final UnverifiedConnections unverified = new UnverifiedConnections();
    private final @Nullable Arrival[] arrivals;
    private final List<Thread> farewells = new ArrayList<>();
    private int strangers;
    private boolean complete;
    private @Nullable String broken;

    private Rendezvous(RankPlace place, ServerSocket server) {
        this.place = place;
        this.server = server;
        this.arrivals = new Arrival[place.size()];
    }

    /**
     * Opens the port and writes the file.
     *
     * @throws RanksException if the port is in use, or the file cannot be written
     */
    static Rendezvous open(RankPlace place) {
        try {
            ServerSocket server = new ServerSocket();
            try {
                server.setReuseAddress(true);
                server.bind(new InetSocketAddress(place.port()), 1024);
                Rendezvous rendezvous = new Rendezvous(place, server);
                rendezvous.point().write(place.meetingFile());
                Thread.ofPlatform().daemon().name("treehaul-rendezvous").start(rendezvous::accept);
                Thread.ofPlatform().daemon().name("treehaul-rendezvous-time").start(rendezvous::limit);
                return rendezvous;
            } catch (IOException e) {
                server.close();
                throw e;
            }
        } catch (BindException e) {
            throw new RanksException("port " + place.port() + " on " + place.host() + " is in use or not allowed: "
                    + e.getMessage() + "; leave out --port to use a free one", e);
        } catch (IOException e) {
            throw new RanksException("ranks cannot meet through " + place.meetingFile() + ": " + PrivateFiles.reason(e),
                    e);
        }
    }

    MeetingPoint point() throws IOException {
        return new MeetingPoint(place.host(), HostAddresses.here(), server.getLocalPort(), secret);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                try {
                    unverified.awaitPlace(server);
                    Socket socket = server.accept();
                    unverified.add(socket);
                    Thread.ofPlatform().daemon().name("treehaul-arrival").start(() -> serve(socket));
                } catch (IOException e) {
                    // The server was closed, the connection ended at once, or no descriptor is free.
                    if (!server.isClosed()) {
                        Thread.sleep(PAUSE);
                    }
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void limit() {
        try {
            Thread.sleep(place.arrivalLimit());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        String late;
        synchronized (this) {
            if (complete || broken != null) {
                return;
            }
            late = late();
        }
        breakGroup(late);
    }

    /** Returns the message for the case that not all have arrived in time. */
    synchronized String late() {
        List<String> missing = new ArrayList<>();
        List<String> here = new ArrayList<>();
        for (int rank = 0; rank < arrivals.length; rank++) {
            Arrival arrival = arrivals[rank];
            if (arrival == null) {
                missing.add(Integer.toString(rank));
            } else if (arrival.ports == null) {
                missing.add(arrival.name() + " (MPJ Express failed to start there)");
            } else {
                here.add(arrival.name());
            }
        }
        return (missing.size() == 1 ? "rank " : "ranks ") + String.join(", ", missing) + " did not join within "
                + place.arrivalLimit().toSeconds() + " s"
                + (here.isEmpty() ? "" : "; there are " + String.join(", ", here))
                + (strangers == 0 ? "" : "; " + strangers + " that did not know the secret were refused");
    }

    private void serve(Socket socket) {
        try (Line line = new Line(socket)) {
            Arrival arrival;
            try {
                line.setPatience(LONGEST_HANDSHAKE);
                arrival = new Arrival(line, Handshake.asHead(line.in(), line.out(), secret));
            } catch (IOException e) {
                synchronized (this) {
                    strangers++;
                }
                return;
            } finally {
                unverified.remove(socket);
            }
            if (!(line.read() instanceof Line.Beat)) {
                throw new IOException(arrival.name() + " starts with something else");
            }
            if (admit(arrival)) {
                hear(arrival);
            }
        } catch (IOException e) {
            // The rank was not admitted yet; it may connect again.
        }
    }

    private boolean admit(Arrival arrival) throws IOException {
        String refusal = seat(arrival);
        if (refusal == null) {
            return true;
        }
        arrival.line.write(new Line.Broken(refusal));
        breakGroup(refusal);
        return false;
    }

    private synchronized @Nullable String seat(Arrival arrival) {
        Handshake.Hello hello = arrival.hello;
        if (broken != null) {
            return broken;
        }
        String head = Members.name(0, place.host());
        if (!hello.version().equals(place.version())) {
            return "ranks of different versions: " + arrival.name() + " is " + ByteString.printable(hello.version())
                    + ", " + head + " is " + place.version();
        }
        if (hello.size() != place.size() || hello.rank() < 0 || hello.rank() >= arrivals.length) {
            return "ranks of different groups: " + arrival.name() + " is one of " + hello.size() + ", " + head
                    + " is one of " + place.size();
        }
        if (!hello.plan().equals(place.plan())) {
            return "ranks with different plans: " + arrival.name() + " has " + ByteString.printable(hello.plan()) + ", "
                    + head + " has " + place.plan();
        }
        Arrival other = arrivals[hello.rank()];
        if (other != null) {
            return "rank " + hello.rank() + " joined twice: from " + other.hello.host() + " and from " + hello.host();
        }
        arrivals[hello.rank()] = arrival;
        return null;
    }

    private void hear(Arrival arrival) {
        try {
            arrival.line.setPatience(place.silenceLimit());
            arrival.line.beat();
            boolean hasLeft = false;
            while (!hasLeft) {
                switch (arrival.line.read()) {
                    case Line.Ports ports -> arrived(arrival, ports);
                    case Line.Broken reason -> breakGroup(reason.reason());
                    case Line.Left left -> {
                        synchronized (this) {
                            arrival.left = true;
                            notifyAll();
                        }
                        hasLeft = true;
                    }
                    case Line.Beat beat -> {
                    }
                    case Line.Table table -> throw new IOException("a table from " + arrival.name());
                }
            }
        } catch (IOException e) {
            breakGroup(arrival.name() + " " + Line.fate(e, place.silenceLimit()));
        }
    }

    private void arrived(Arrival arrival, Line.Ports ports) {
        List<Arrival> all = new ArrayList<>();
        synchronized (this) {
            arrival.ports = ports;
            for (Arrival other : arrivals) {
                if (other == null || other.ports == null) {
                    return;
                }
                all.add(other);
            }
            complete = true;
        }
        removeFile();
        Line.Table table = new Line.Table(seats(all));
        for (Arrival other : all) {
            try {
                other.line.write(table);
            } catch (IOException e) {
                breakGroup(other.name() + " is gone");
            }
        }
    }

    private void removeFile() {
        try {
            Files.deleteIfExists(place.meetingFile());
        } catch (IOException e) {
            // Every rank is here. One of another group that finds the file does not find this rank.
        }
    }

    // MPJ Express connects to the address that each rank came from. A rank that came over the loopback interface is
    // reached at the address at which the others came in.
    private static List<Line.Seat> seats(List<Arrival> all) {
        InetAddress outside = all.stream()
                .filter(arrival -> !arrival.line.there().isLoopbackAddress())
                .map(arrival -> arrival.line.here())
                .findFirst()
                .orElse(InetAddress.getLoopbackAddress());
        List<Line.Seat> seats = new ArrayList<>();
        for (Arrival arrival : all) {
            InetAddress from = arrival.line.there();
            Line.Ports ports = Objects.requireNonNull(arrival.ports);
            seats.add(new Line.Seat((from.isLoopbackAddress() ? outside : from).getHostAddress(), ports.write(),
                    ports.read(), arrival.hello.host()));
        }
        return seats;
    }

    /** Informs all ranks that the group is broken; only the first reason counts. */
    void breakGroup(String reason) {
        synchronized (this) {
            // Ranks that have left do not need it.
            if (broken != null) {
                return;
            }
            broken = reason;
            for (Arrival arrival : arrivals) {
                if (arrival != null && !arrival.left) {
                    farewells.add(arrival.line.tell(reason));
                }
            }
            notifyAll();
        }
    }

    /** Waits a few seconds until all have left, or were informed that the group is broken. */
    @Override
    public void close() {
        try {
            long end = System.nanoTime() + LONGEST_FAREWELL.toNanos();
            List<Thread> notifications;
            synchronized (this) {
                while (broken == null && complete && !allLeft() && System.nanoTime() < end) {
                    wait(LONGEST_FAREWELL.toMillis() / 10);
                }
                notifications = List.copyOf(farewells);
            }
            for (Thread thread : notifications) {
                thread.join(1000);
            }
            String reason = broken();
            if (reason == null || complete) {
                Files.deleteIfExists(place.meetingFile());
            } else {
                // The file informs ranks that come after rank 0 has ended.
                MeetingPoint.writeBroken(place.meetingFile(), reason);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IOException e) {
            // A rank that comes late waits in vain, and reports that.
        } finally {
            closeServer();
        }
    }

    private synchronized @Nullable String broken() {
        return broken;
    }

    private boolean allLeft() {
        for (Arrival arrival : arrivals) {
            if (arrival != null && !arrival.left) {
                return false;
            }
        }
        return true;
    }

    private void closeServer() {
        try {
            server.close();
        } catch (IOException e) {
            // No rank connects any more.
        }
        synchronized (this) {
            for (Arrival arrival : arrivals) {
                if (arrival != null) {
                    arrival.line.close();
                }
            }
        }
    }
}
