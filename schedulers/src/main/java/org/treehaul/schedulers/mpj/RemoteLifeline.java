// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** The line of a rank to the rendezvous. */
final class RemoteLifeline extends Lifeline implements AutoCloseable {

    private static final Duration LONGEST_CONNECT = Duration.ofSeconds(3);
    // Longer than a pause of rank 0, for example while it starts on a busy node.
    private static final Duration LONGEST_HANDSHAKE = Duration.ofSeconds(10);
    // Ranks of one group begin within seconds of each other, once their nodes are ready.
    private static final Duration LONGEST_STALE = Duration.ofSeconds(5);
    private static final long FIRST_LOOK = 100;
    private static final long LONGEST_LOOK = 1000;
    // Rank 0 informs all others before it exits.
    private static final Duration NOTIFICATION_TIMEOUT = Duration.ofSeconds(1);

    private final Line line;
    private final Path meeting;
    private final String head;
    private final Duration silence;
    private final CompletableFuture<Line.Table> table = new CompletableFuture<>();
    private volatile boolean left;

    private RemoteLifeline(Line line, RankPlace place, String headHost) {
        this.line = line;
        this.meeting = place.meetingFile();
        this.head = Members.name(0, headHost);
        this.silence = place.silenceLimit();
        onBreak(reason -> table.completeExceptionally(new RanksException(reason)));
    }

    /**
     * Finds rank 0 and identifies itself to it.
     *
     * @throws RanksException if rank 0 is not there in time, or refuses this rank
     */
    static RemoteLifeline join(RankPlace place) {
        long began = System.nanoTime();
        long end = began + place.arrivalLimit().toNanos();
        String problem;
        try {
            do {
                Optional<MeetingPoint> point;
                try {
                    point = MeetingPoint.read(place.meetingFile());
                } catch (MeetingPoint.BrokenException e) {
                    // The file may be from an earlier run: rank 0 of this run replaces it as soon as it begins.
                    problem = e.getMessage() + " (read in " + place.meetingFile()
                            + "; if it is from an earlier run, remove it, and use a new file for each run)";
                    if (System.nanoTime() - began >= LONGEST_STALE.toNanos()) {
                        throw new RanksException(problem, e);
                    }
                    Thread.sleep(FIRST_LOOK);
                    continue;
                }
                if (point.isEmpty()) {
                    problem = "there is no " + place.meetingFile() + ", in which rank 0 publishes its address";
                } else {
                    StringBuilder problems = new StringBuilder();
                    Optional<RemoteLifeline> joined = join(place, point.get(), problems);
                    if (joined.isPresent()) {
                        return joined.get();
                    }
                    problem = problems.toString();
                }
                // The interval grows with time, because all ranks query the same server.
                Thread.sleep(FIRST_LOOK + Math.min(LONGEST_LOOK, (System.nanoTime() - began) / 10_000_000));
            } while (System.nanoTime() < end);
        } catch (IOException e) {
            throw new RanksException(place.name() + " cannot find rank 0: " + PrivateFiles.describe(e), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException(place.name() + " was interrupted", e);
        }
        throw new RanksException(
                place.name() + " did not find rank 0 in " + place.arrivalLimit().toSeconds() + " s: " + problem);
    }

    private static Optional<RemoteLifeline> join(RankPlace place, MeetingPoint point, StringBuilder problems) {
        // Other hosts may have the same addresses on networks of their own, so any address may lead to a stranger.
        for (InetAddress address : point.addresses()) {
            Socket socket = new Socket();
            try {
                socket.connect(new InetSocketAddress(address, point.port()), (int) LONGEST_CONNECT.toMillis());
                Line line = new Line(socket);
                line.setPatience(LONGEST_HANDSHAKE);
                Handshake.asRank(line.in(), line.out(), point.secret(),
                        new Handshake.Hello(place.rank(), place.size(), place.version(), place.plan(), place.host()));
                // Rank 0 admits only a rank that confirms that it still waits for the answer.
                line.write(new Line.Beat());
                line.setPatience(place.silenceLimit());
                RemoteLifeline joined = new RemoteLifeline(line, place, point.host());
                line.beat();
                Thread.ofPlatform().daemon().name("treehaul-lifeline").start(joined::hear);
                return Optional.of(joined);
            } catch (IOException e) {
                problems.append(problems.isEmpty() ? "" : "; ")
                        .append(Members.name(0, point.host()))
                        .append(" at ")
                        .append(address.getHostAddress())
                        .append(':')
                        .append(point.port())
                        .append(": ")
                        .append(e.getMessage());
                try {
                    socket.close();
                } catch (IOException closing) {
                    e.addSuppressed(closing);
                }
            }
        }
        return Optional.empty();
    }

    private void hear() {
        try {
            while (!left) {
                switch (line.read()) {
                    case Line.Table known -> table.complete(known);
                    case Line.Broken why -> broken(why.reason());
                    case Line.Beat beat -> {
                    }
                    case Line.Ports ports -> throw new IOException("ports from rank 0");
                    case Line.Left gone -> throw new IOException("rank 0 left");
                }
            }
        } catch (IOException e) {
            if (!left) {
                broken(end(Line.fate(e, silence)));
            }
        }
    }

    // If rank 0 ends before all have arrived, it may not inform the latest ranks; it writes the reason to the file
    // first.
    private String end(String fate) {
        if (!table.isDone()) {
            try {
                MeetingPoint.read(meeting);
            } catch (RanksException e) {
                return String.valueOf(e.getMessage());
            } catch (IOException e) {
                // The reason stays unknown.
            }
        }
        return head + " " + fate;
    }

    /** Sends the ports of MPJ Express, and waits for those of the others. */
    Line.Table exchange(Line.Ports ports) {
        try {
            line.write(ports);
        } catch (IOException e) {
            // The thread that reads the line ends as well; before that it reads the reason, if rank 0 sent one.
        }
        try {
            return table.get();
        } catch (ExecutionException e) {
            throw new RanksException(String.valueOf(reason()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RanksException("interrupted", e);
        }
    }

    @Override
    void report(String why) {
        Thread notification = line.tell(why);
        broken(why);
        try {
            notification.join(NOTIFICATION_TIMEOUT.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Reports to rank 0 that this rank has finished with all others. */
    void left() {
        left = true;
        try {
            line.write(new Line.Left());
        } catch (IOException e) {
            // The group has finished anyway.
        }
    }

    @Override
    public void close() {
        left = true;
        line.close();
    }
}
