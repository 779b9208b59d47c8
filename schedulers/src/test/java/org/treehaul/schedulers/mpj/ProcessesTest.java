// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.mpj;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.schedulers.common.net.Secret;
import org.treehaul.strategies.ranks.CommunicatorContract;
import org.treehaul.strategies.ranks.communicator.Communicator;
import org.treehaul.strategies.ranks.communicator.RanksException;

/** The network of MPJ Express; the ranks are threads here, but meet like processes. */
@Timeout(value = 3, unit = TimeUnit.MINUTES)
class ProcessesTest extends CommunicatorContract {

    private static final Duration ARRIVAL = Duration.ofSeconds(60);

    @TempDir
    Path directory;

    private RankPlace place(int rank, int ranks) {
        return new RankPlace(rank, ranks, "host" + rank / 2, directory.resolve("meeting"), 0, "1.0", "a plan", ARRIVAL,
                RankPlace.SILENCE_LIMIT);
    }

    /** Runs each place on a thread; returns the exception message of each that failed. */
    private static Map<Integer, String> run(List<RankPlace> places, Consumer<Communicator> body) {
        Map<Integer, String> failed = new TreeMap<>();
        MeetingRanks.run(places, body)
                .forEach((rank, e) -> failed.put(rank, e.getMessage() + (e instanceof RanksException ? "" : " " + e)));
        return failed;
    }

    private List<RankPlace> places(int ranks, UnaryOperator<RankPlace> last) {
        List<RankPlace> places = new ArrayList<>();
        for (int rank = 0; rank < ranks - 1; rank++) {
            places.add(place(rank, ranks));
        }
        places.add(last.apply(place(ranks - 1, ranks)));
        return places;
    }

    @Override
    protected void run(int ranks, Consumer<Communicator> body) {
        assertThat(run(places(ranks, place -> place), body)).isEmpty();
        assertThat(directory).isEmptyDirectory();
    }

    private static void wait(Communicator communicator) {
        while (true) {
            communicator.poll(Duration.ofSeconds(1));
        }
    }

    @Test
    void oneRankIsAGroup() {
        run(1, c -> {
            c.send(0, new byte[]{1});
            assertThat(c.poll(Duration.ofSeconds(60)).orElseThrow().bytes()).containsExactly(1);
        });
    }

    @Test
    void ranksThatAllSendMoreThanAnyTakesGetItAll() {
        int messages = 40;
        run(3, c -> {
            for (int i = 0; i < messages; i++) {
                for (int to = 0; to < c.size(); to++) {
                    c.send(to, new byte[Communicator.LONGEST_MESSAGE]);
                }
            }
            for (int i = 0; i < messages * c.size(); i++) {
                while (c.poll(Duration.ofMillis(10)).isEmpty()) {
                    // No message has come yet.
                }
            }
        });
    }

    @Test
    void anExceptionOfOneRankEndsTheOthersAndNamesIt() {
        Map<Integer, String> failed = run(places(3, place -> place), c -> {
            if (c.rank() == 2) {
                throw new IllegalArgumentException("no such thing");
            }
            wait(c);
        });
        assertThat(failed).containsOnlyKeys(0, 1, 2);
        assertThat(failed.get(0)).contains("rank 2 on host1 failed", "no such thing");
        assertThat(failed.get(1)).isEqualTo(failed.get(0));
    }

    @Test
    void ranksOfDifferentVersionsPlansOrGroupsAreRefusedAndSaySo() {
        Map<Integer, String> versions = run(places(3, p -> new RankPlace(p.rank(), p.size(), p.host(), p.meetingFile(),
                0, "1.1", p.plan(), p.arrivalLimit(), p.silenceLimit())), ProcessesTest::wait);
        assertThat(versions).containsOnlyKeys(0, 1, 2);
        // A rank that comes after the others have left appends the name of the file with the reason.
        assertThat(versions.values()).allSatisfy(text -> assertThat(text)
                .startsWith("ranks of different versions: rank 2 on host1 is 1.1, rank 0 on host0 is 1.0"));
        Map<Integer, String> plans = run(places(2, p -> new RankPlace(p.rank(), p.size(), p.host(), p.meetingFile(), 0,
                p.version(), "another", p.arrivalLimit(), p.silenceLimit())), ProcessesTest::wait);
        assertThat(plans.values()).hasSize(2)
                .containsOnly("ranks with different plans: rank 1 on host0 has another, rank 0 on host0 has a plan");
        Map<Integer, String> sizes = run(places(2, p -> new RankPlace(p.rank(), 5, p.host(), p.meetingFile(), 0,
                p.version(), p.plan(), p.arrivalLimit(), p.silenceLimit())), ProcessesTest::wait);
        assertThat(sizes.values()).hasSize(2)
                .containsOnly("ranks of different groups: rank 1 on host0 is one of 5, rank 0 on host0 is one of 2");
    }

    @Test
    void aRankThatIsRefusedSaysWhyThoughItsLineIsClosedBeforeItReads() throws Exception {
        RankPlace refused = place(1, 2);
        CountDownLatch isJoined = new CountDownLatch(1);
        AtomicBoolean mayRead = new AtomicBoolean();
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            MeetingPoint point = new MeetingPoint("host0", List.of(InetAddress.getLoopbackAddress()),
                    server.getLocalPort(), Secret.make());
            point.write(refused.meetingFile());
            CompletableFuture<Void> head = CompletableFuture.runAsync(() -> {
                try (Socket socket = server.accept(); Line line = new Line(socket)) {
                    Handshake.asHead(line.in(), line.out(), point.secret());
                    isJoined.await();
                    line.write(new Line.Broken("another version"));
                    // The next write to the socket fails.
                    socket.setSoLinger(true, 0);
                } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }, task -> Thread.ofPlatform().start(task));
            RemoteLifeline line = RemoteLifeline.join(refused);
            // Virtual threads read the lines: none of them runs while these keep all processors busy.
            int processors = Runtime.getRuntime().availableProcessors();
            CountDownLatch areBusy = new CountDownLatch(processors);
            for (int i = 0; i < processors; i++) {
                Thread.ofVirtual().start(() -> {
                    areBusy.countDown();
                    while (!mayRead.get()) {
                        Thread.onSpinWait();
                    }
                });
            }
            areBusy.await();
            isJoined.countDown();
            head.join();
            CompletableFuture<String> said = new CompletableFuture<>();
            Thread telling = Thread.ofPlatform().start(() -> {
                try {
                    said.complete("a table: " + line.exchange(new Line.Ports(1, 2)));
                } catch (RanksException e) {
                    said.complete(e.getMessage());
                }
            });
            Awaitility.await().until(() -> said.isDone() || telling.getState() == Thread.State.WAITING);
            mayRead.set(true);
            assertThat(said.get()).isEqualTo("another version");
        } finally {
            mayRead.set(true);
        }
    }

    @Test
    void aRankThatJoinsTwiceEndsTheGroup() {
        List<RankPlace> twice = places(3, place -> place);
        twice.set(2, place(1, 3));
        assertThat(run(twice, ProcessesTest::wait).values()).allMatch(text -> text.startsWith("rank 1 joined twice"));
    }

    @Test
    void aRankThatNeverArrivesIsNamed() {
        List<RankPlace> two = places(3, place -> place).subList(0, 2)
                .stream()
                .map(place -> place.withLimits(Duration.ofSeconds(3), RankPlace.SILENCE_LIMIT))
                .toList();
        Map<Integer, String> failed = run(two, ProcessesTest::wait);
        assertThat(failed).containsOnlyKeys(0, 1);
        // On a busy machine MPJ Express may not have started in the other ranks by then.
        assertThat(failed.values()).allMatch(text -> text.matches("ranks? (.*, )?2 did not join within 3 s.*"));
        assertThat(failed.get(1)).isEqualTo(failed.get(0));
    }

    @Test
    void ranksThatJoinedAreNamedBesideThoseThatDidNot() {
        RankPlace first = place(0, 3);
        try (Rendezvous rendezvous = Rendezvous.open(first)) {
            assertThat(rendezvous.late()).isEqualTo("ranks 0, 1, 2 did not join within 60 s");
            RemoteLifeline zero = RemoteLifeline.join(first);
            Thread.ofVirtual().start(() -> assertThatThrownBy(() -> zero.exchange(new Line.Ports(1, 2))));
            RemoteLifeline.join(place(1, 3));
            Awaitility.await()
                    .untilAsserted(() -> assertThat(rendezvous.late()).isEqualTo(
                            "ranks rank 1 on host0 (MPJ Express failed to start there), 2 did not join within 60 s; "
                                    + "there are rank 0 on host0"));
        }
    }

    @Test
    void aGroupWithoutRankZeroSaysWhereItShouldBe() {
        RankPlace alone = place(1, 2).withLimits(Duration.ofSeconds(1), RankPlace.SILENCE_LIMIT);
        assertThat(run(List.of(alone), ProcessesTest::wait).get(1)).contains("did not find rank 0 in 1 s",
                "there is no " + directory.resolve("meeting"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whereMpjExpressDoesNotStartAllRanksAndLateOnesHaveTheReason(int bad) throws Exception {
        MpjHome home = MpjInstalled.home();
        Path lib = Files.createDirectory(directory.resolve("lib"));
        Files.createFile(lib.resolve("mpj.jar"));
        MpjHome empty = new MpjHome(lib, home.log4j());
        Map<Integer, Throwable> failed = MeetingRanks.run(places(2, place -> place),
                place -> place.rank() == bad ? empty : home, ProcessesTest::wait);
        String reason = "MPJ Express failed to start: mpi.MPI";
        assertThat(failed.get(bad)).hasMessageContaining(reason);
        assertThat(failed.get(1 - bad)).hasMessage("rank " + bad + " on host0 failed: " + reason);
        assertThatThrownBy(() -> MeetingPoint.read(directory.resolve("meeting")))
                .isInstanceOf(MeetingPoint.BrokenException.class)
                .hasMessage("rank " + bad + " on host0 failed: " + reason);
    }

    @Test
    void ranksMeetThoughTheFileCannotBeRemoved() throws Exception {
        RankPlace first = place(0, 2);
        try (Rendezvous rendezvous = Rendezvous.open(first)) {
            RemoteLifeline zero = RemoteLifeline.join(first);
            RemoteLifeline one = RemoteLifeline.join(place(1, 2));
            assertThat(rendezvous.late()).isNotEmpty();
            Files.delete(first.meetingFile());
            Files.createFile(Files.createDirectory(first.meetingFile()).resolve("file"));
            Thread.ofVirtual().start(() -> zero.exchange(new Line.Ports(1, 2)));
            assertThat(one.exchange(new Line.Ports(3, 4)).seats()).hasSize(2);
            zero.left();
            one.left();
        }
    }

    @Test
    void aPortInUseIsReported() throws IOException {
        try (ServerSocket taken = new ServerSocket(0)) {
            RankPlace first = place(0, 2);
            RankPlace there = new RankPlace(0, 2, first.host(), first.meetingFile(), taken.getLocalPort(), "1.0",
                    "a plan", ARRIVAL, RankPlace.SILENCE_LIMIT);
            assertThat(run(List.of(there), ProcessesTest::wait).get(0))
                    .contains("port " + taken.getLocalPort() + " on host0 is in use");
        }
    }

    @Test
    void strangersAreRefusedAndDisturbNoRank() throws Exception {
        RankPlace first = place(0, 2);
        try (Rendezvous rendezvous = Rendezvous.open(first)) {
            Path file = first.meetingFile();
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file))).isEqualTo("rw-------");
            MeetingPoint point = rendezvous.point();
            InetSocketAddress there = new InetSocketAddress(InetAddress.getLoopbackAddress(), point.port());
            try (Socket silent = new Socket(); Socket rude = new Socket()) {
                silent.connect(there);
                rude.connect(there);
                rude.getOutputStream().write("GET / HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(refusal(there, "0".repeat(64), 1)).contains("did not answer there");
                RemoteLifeline zero = RemoteLifeline.join(first);
                RemoteLifeline one = RemoteLifeline.join(place(1, 2));
                Thread.ofVirtual().start(() -> zero.exchange(new Line.Ports(1, 2)));
                assertThat(one.exchange(new Line.Ports(3, 4)).seats()).extracting(Line.Seat::write)
                        .containsExactly(1, 3);
                assertThat(zero.reason()).isNull();
                zero.left();
                one.left();
            }
        }
    }

    // Returns the refusal that a rank with another secret gets.
    private static @Nullable String refusal(InetSocketAddress there, String secret, int rank) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(there);
            try (Line line = new Line(socket)) {
                Handshake.asRank(line.in(), line.out(), secret, new Handshake.Hello(rank, 2, "1.0", "a plan", "host"));
                return null;
            } catch (Handshake.StrangerException e) {
                return e.getMessage();
            }
        }
    }

    @Test
    void aRendezvousThatDoesNotKnowTheSecretIsNotJoined() throws Exception {
        try (ServerSocket other = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try (Socket socket = other.accept(); Line line = new Line(socket)) {
                    Handshake.asHead(line.in(), line.out(), "another");
                } catch (IOException e) {
                    // The handshake must fail.
                }
            });
            assertThat(
                    refusal(new InetSocketAddress(InetAddress.getLoopbackAddress(), other.getLocalPort()), "mine", 1))
                    .contains("did not answer there");
        }
    }

    @Test
    void aRankThatSaysNothingBreaksTheGroup() throws Exception {
        RankPlace first = place(0, 2).withLimits(ARRIVAL, Duration.ofSeconds(2));
        try (Rendezvous rendezvous = Rendezvous.open(first);
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), rendezvous.point().port());
                Line line = new Line(socket)) {
            RemoteLifeline zero = RemoteLifeline.join(first);
            // Rank 1 identifies itself and hangs from then on.
            Handshake.asRank(line.in(), line.out(), rendezvous.point().secret(),
                    new Handshake.Hello(1, 2, "1.0", "a plan", "host7"));
            line.write(new Line.Beat());
            assertThatThrownBy(() -> zero.exchange(new Line.Ports(1, 2))).isInstanceOf(RanksException.class)
                    .hasMessage("rank 1 on host7 has sent nothing for 2 s");
        }
    }

    @Test
    void aRankThatHadGivenUpWaitingForTheAnswerMayComeAgain() throws Exception {
        RankPlace first = place(0, 2);
        try (Rendezvous rendezvous = Rendezvous.open(first)) {
            RemoteLifeline zero = RemoteLifeline.join(first);
            try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), rendezvous.point().port());
                    Line line = new Line(socket)) {
                Handshake.asRank(line.in(), line.out(), rendezvous.point().secret(),
                        new Handshake.Hello(1, 2, "1.0", "a plan", "host0"));
            }
            RemoteLifeline one = RemoteLifeline.join(place(1, 2));
            Thread.ofVirtual().start(() -> zero.exchange(new Line.Ports(1, 2)));
            assertThat(one.exchange(new Line.Ports(3, 4)).seats()).hasSize(2);
            assertThat(zero.reason()).isNull();
            zero.left();
            one.left();
        }
    }
}
