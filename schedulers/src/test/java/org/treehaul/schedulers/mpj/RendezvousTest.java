// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.testing.Privilege;
import org.treehaul.schedulers.common.net.Secret;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** Attacks by others on the ranks of a group before the ranks have met. */
class RendezvousTest {

    @TempDir
    private Path directory;

    private RankPlace place(int rank) {
        return new RankPlace(rank, 2, "host" + rank, directory.resolve("meeting"), 0, "1.0", "a plan",
                Duration.ofSeconds(12), RankPlace.SILENCE_LIMIT);
    }

    private static void meet(RankPlace first, RankPlace second) throws Exception {
        CompletableFuture<RemoteLifeline> later = CompletableFuture.supplyAsync(() -> RemoteLifeline.join(second));
        RemoteLifeline zero = RemoteLifeline.join(first);
        RemoteLifeline one = later.join();
        Thread.ofVirtual().start(() -> zero.exchange(new Line.Ports(1, 2)));
        assertThat(one.exchange(new Line.Ports(3, 4)).seats()).extracting(Line.Seat::write).containsExactly(1, 3);
        zero.left();
        one.left();
    }

    /** Connects as a stranger that sends nothing, and connects again whenever its line is closed. */
    private static void knock(InetSocketAddress there, CountDownLatch knocked, List<Socket> open) {
        while (true) {
            try (Socket socket = new Socket()) {
                synchronized (open) {
                    open.add(socket);
                }
                socket.connect(there);
                knocked.countDown();
                while (socket.getInputStream().read() >= 0) {
                    // Reads the number that rank 0 drew.
                }
            } catch (IOException e) {
                return;
            }
        }
    }

    @Test
    void silentConnectionsKeepNoRankOut() throws Exception {
        RankPlace first = place(0);
        List<Socket> open = new ArrayList<>();
        try (Rendezvous rendezvous = Rendezvous.open(first)) {
            InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(),
                    rendezvous.point().port());
            int strangers = 400;
            CountDownLatch knocked = new CountDownLatch(strangers);
            for (int i = 0; i < strangers; i++) {
                Thread.ofVirtual().start(() -> knock(there, knocked, open));
            }
            knocked.await();
            meet(first, place(1));
        } finally {
            synchronized (open) {
                for (Socket socket : open) {
                    socket.close();
                }
            }
        }
    }

    @Test
    void aFileThatAnotherUserCouldHaveWrittenIsNotBelieved() throws Exception {
        Path file = place(1).meetingFile();
        new MeetingPoint("host0", List.of(InetAddress.getLoopbackAddress()), 1, Secret.make()).write(file);
        assertThat(MeetingPoint.read(file)).isPresent();
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThatThrownBy(() -> RemoteLifeline.join(place(1))).isInstanceOf(RanksException.class)
                .hasMessageContaining(file + " is open to others (mode 644)")
                .hasMessageContaining("use a file in a directory that only you can write to");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        Path moved = Files.move(file, directory.resolve("moved"));
        Files.createSymbolicLink(file, moved);
        assertThatThrownBy(() -> RemoteLifeline.join(place(1))).isInstanceOf(RanksException.class)
                .hasMessageContaining(file + " is a symbolic link");
        Files.delete(file);
        Files.createDirectory(file);
        assertThatThrownBy(() -> RemoteLifeline.join(place(1))).isInstanceOf(RanksException.class)
                .hasMessageContaining(file + " is not a regular file");
        Files.delete(file);
        Privilege.requireRoot("it gives a file away");
        Files.move(moved, file);
        Files.setAttribute(file, "unix:uid", 12345, LinkOption.NOFOLLOW_LINKS);
        assertThatThrownBy(() -> RemoteLifeline.join(place(1))).isInstanceOf(RanksException.class)
                .hasMessageContaining(file + " belongs to user 12345, not to 0");
    }

    @Test
    void aDirectoryThatIsMissingIsNamedWithoutClassesOfJava() {
        Path file = directory.resolve("nosuch/meeting");
        RankPlace first = new RankPlace(0, 2, "host0", file, 0, "1.0", "a plan", Duration.ofSeconds(2),
                RankPlace.SILENCE_LIMIT);
        assertThatThrownBy(() -> Rendezvous.open(first)).isInstanceOf(RanksException.class)
                .hasMessage("ranks cannot meet through " + file + ": No such file or directory (ENOENT)");
        RankPlace second = new RankPlace(1, 2, "host1", file, 0, "1.0", "a plan", Duration.ofSeconds(2),
                RankPlace.SILENCE_LIMIT);
        assertThatThrownBy(() -> RemoteLifeline.join(second)).isInstanceOf(RanksException.class)
                .hasMessageEndingWith(
                        "cannot find rank 0: " + file.getParent() + ": No such file or directory (ENOENT)");
    }

    @Test
    void aReasonThatStayedFromAnEarlierRunIsReplacedByRankZero() throws Exception {
        RankPlace second = place(1);
        MeetingPoint.writeBroken(second.meetingFile(), "rank 1 of yesterday");
        CompletableFuture<RemoteLifeline> early = CompletableFuture.supplyAsync(() -> RemoteLifeline.join(second));
        RankPlace first = place(0);
        try (Rendezvous rendezvous = Rendezvous.open(first)) {
            RemoteLifeline zero = RemoteLifeline.join(first);
            RemoteLifeline one = early.join();
            Thread.ofVirtual().start(() -> zero.exchange(new Line.Ports(1, 2)));
            assertThat(one.exchange(new Line.Ports(3, 4)).seats()).hasSize(2);
            zero.left();
            one.left();
            assertThat(rendezvous.late()).isNotEmpty();
        }
    }

    @Test
    void anOldReasonIsShownWithTheFileThatHoldsIt() throws Exception {
        RankPlace second = place(1).withLimits(Duration.ofSeconds(5), RankPlace.SILENCE_LIMIT);
        MeetingPoint.writeBroken(second.meetingFile(), "rank 1 \u001b[31mof yesterday");
        assertThatThrownBy(() -> RemoteLifeline.join(second)).isInstanceOf(RanksException.class)
                .hasMessageContaining("rank 1 \\x1b[31mof yesterday")
                .hasMessageContaining(second.meetingFile().toString());
    }

    @Test
    void messagesOfPeersAreShownWithoutControlCharacters() throws Exception {
        RankPlace second = place(1);
        String secret = Secret.make();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            new MeetingPoint("near", List.of(server.getInetAddress()), server.getLocalPort(), secret)
                    .write(second.meetingFile());
            CompletableFuture<Void> head = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept()) {
                    Line line = new Line(socket);
                    Handshake.asHead(line.in(), line.out(), secret);
                    line.write(new Line.Broken("\u001b]0;owned\u0007\nFORGED \u202e"));
                    line.read();
                } catch (IOException e) {
                    // The rank has left.
                }
            });
            try (RemoteLifeline lifeline = RemoteLifeline.join(second)) {
                assertThatThrownBy(() -> lifeline.exchange(new Line.Ports(1, 2))).isInstanceOf(RanksException.class)
                        .hasMessage("\\x1b]0;owned\\x07\\nFORGED \\xe2\\x80\\xae");
            }
            head.join();
        }
    }
}
