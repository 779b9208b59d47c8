// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.UnsafePathException;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;

/** A server survives clients that are strangers, broken, slow or many. */
class SegmentServerTest {

    private static final SegmentKey KEY = Bytes.key(1);

    @TempDir
    Path place;

    // The server still serves a client that does nothing wrong.
    private static void assertServes(Served served) throws StageException {
        try (SegmentClients clients = new SegmentClients(served.secret, false);
                Segments segments = clients.open(served.address())) {
            segments.create(KEY);
            Bytes.write(segments, KEY, 0, Bytes.random(1, 100));
            assertThat(Bytes.read(segments, KEY, 0, 100)).isEqualTo(Bytes.random(1, 100));
        }
        served.awaitFree();
    }

    @Test
    void aClientWithAnotherSecretIsRefused() throws Exception {
        try (Served served = Served.in(place)) {
            ByteString other = Served.secretFile(place.resolve("other"), "another secret of thirty-two bytes");
            try (SegmentClients clients = new SegmentClients(RunSecret.read(other), false)) {
                assertThatThrownBy(() -> clients.open(served.address())).isInstanceOf(StageException.class)
                        .hasMessageContaining("n1 (127.0.0.1:" + served.port() + ")")
                        .hasMessageContaining("it does not accept the secret in " + other);
            }
            assertThat(served.notes).singleElement()
                    .asString()
                    .contains("127.0.0.1:", "it does not know the secret in " + served.secret.file());
            assertServes(served);
        }
    }

    @Test
    void aServerWithAnotherSecretIsNotBelieved() throws Exception {
        Path other = Files.createDirectory(place.resolve("other"));
        RunSecret secret = RunSecret.read(Served.secretFile(place.resolve("mine"), Served.SECRET));
        RunSecret theirs = RunSecret.read(Served.secretFile(other.resolve("secret"), "x".repeat(32)));
        try (FakeServer fake = FakeServer.start(server -> server.admit(theirs, secret));
                SegmentClients clients = new SegmentClients(secret, false)) {
            assertThatThrownBy(() -> clients.open(fake.address())).isInstanceOf(StageException.class)
                    .hasMessageContaining("it does not know the secret in " + secret.file());
        }
    }

    @Test
    void aClientOfAnotherVersionIsRefused() throws Exception {
        try (Served served = Served.in(place); RawClient client = RawClient.stranger(served.port())) {
            client.in.readNBytes(Wire.MAGIC_BYTES + Greeting.SERVER_BYTES);
            client.out.writeLong(Wire.MAGIC);
            client.out.writeShort(7);
            assertThat((char) client.in.readByte()).isEqualTo('v');
            client.awaitEnd();
            assertThat(served.notes).singleElement()
                    .asString()
                    .contains("it speaks version 7 of the protocol, not 4: servers and clients must be of one release");
            assertServes(served);
        }
    }

    @Test
    void aServerOfAnotherVersionIsRefused() throws Exception {
        RunSecret secret = RunSecret.read(Served.secretFile(place.resolve("mine"), Served.SECRET));
        try (FakeServer fake = FakeServer.start(server -> {
            server.out.writeLong(Wire.MAGIC);
            server.out.writeShort(7);
            server.out.flush();
            server.in.readAllBytes();
        }); SegmentClients clients = new SegmentClients(secret, false)) {
            assertThatThrownBy(() -> clients.open(fake.address())).isInstanceOf(StageException.class)
                    .hasMessageContaining("it speaks version 7 of the protocol, this program version 4");
        }
    }

    @Test
    void anotherProgramIsNotTakenForAServer() throws Exception {
        RunSecret secret = RunSecret.read(Served.secretFile(place.resolve("mine"), Served.SECRET));
        try (FakeServer fake = FakeServer.start(server -> {
            server.out.writeBytes("220 mail.example.org ESMTP\r\n");
            server.out.flush();
            server.in.readAllBytes();
        }); SegmentClients clients = new SegmentClients(secret, false)) {
            assertThatThrownBy(() -> clients.open(fake.address())).isInstanceOf(StageException.class)
                    .hasMessageContaining("it does not speak this protocol");
        }
    }

    @Test
    void anUnusableSecretIsRefused() throws Exception {
        Path file = place.resolve("secret");
        assertThatThrownBy(() -> RunSecret.read(ByteString.of(file))).isInstanceOf(IOException.class)
                .hasMessageContaining("No such file or directory (ENOENT); make one that all nodes see: (umask 077; ");
        Served.secretFile(file, "too short");
        assertThatThrownBy(() -> RunSecret.read(ByteString.of(file))).isInstanceOf(IOException.class)
                .hasMessageContaining("a secret has 32 to 4096 bytes, but that in " + file + " has 9; make one");
        Files.writeString(file, "x".repeat(4097));
        assertThatThrownBy(() -> RunSecret.read(ByteString.of(file))).isInstanceOf(IOException.class)
                .hasMessageContaining("has more; make one");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> RunSecret.read(ByteString.of(file))).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining("is open to others (mode 640)");
        assertThatThrownBy(() -> RunSecret.read(ByteString.of(place))).isInstanceOf(UnsafePathException.class)
                .hasMessageContaining("is not a regular file");
    }

    @Test
    void aHostWithMoreProcessorsThanAServerHasThreadsCanServe() throws Exception {
        RunSecret secret = RunSecret.read(Served.secretFile(place.resolve("mine"), Served.SECRET));
        for (int processors : new int[]{1, 16, 256, 257, 1024}) {
            assertThat(ServerSettings.of(ByteString.of("/d"), "here", new InetSocketAddress(0), secret, processors)
                    .threads()).isEqualTo(Math.clamp(processors, 4, 256));
        }
    }

    @Test
    void brokenFramesEndTheirConnectionOnly() throws Exception {
        try (Served served = Served.in(place)) {
            assertServes(served);
            byte[] good = RawClient.bytes(Operation.READ, 1, KEY, 0);
            List<byte[]> broken = new ArrayList<>();
            broken.add(ByteBuffer.allocate(8).putInt(-1).putInt(0).array());
            broken.add(ByteBuffer.allocate(8).putInt(Wire.REQUEST_BYTES - 1).putInt(0).array());
            broken.add(ByteBuffer.allocate(8).putInt(Wire.MOST_REQUEST + 1).putInt(0).array());
            broken.add(ByteBuffer.allocate(8).putInt(Wire.REQUEST_BYTES).putInt(Wire.MOST_DATA + 1).array());
            broken.add(ByteBuffer.allocate(8).putInt(Wire.REQUEST_BYTES).putInt(-1).array());
            // Each bit of a request changes its checksum.
            Random random = new Random(Campaign.seed(1));
            for (int i = 0; i < 30; i++) {
                byte[] changed = good.clone();
                int bit = 8 * Wire.SIZES_BYTES + random.nextInt(8 * (good.length - Wire.SIZES_BYTES));
                changed[bit / 8] ^= (byte) (1 << bit % 8);
                broken.add(changed);
            }
            // Frames with the right checksum and nonsense in them.
            broken.add(RawClient.bytes(Operation.LIST_MORE, 1, KEY, 0));
            broken.add(RawClient.bytes(Operation.READ, 1, KEY, 100));
            broken.add(RawClient.nonsense((byte) 'z', 1, 0, 0));
            broken.add(RawClient.nonsense(Operation.SIZE.code(), 0, 0, 0));
            broken.add(RawClient.nonsense(Operation.SIZE.code(), 1, -1, 0));
            broken.add(RawClient.nonsense(Operation.READ.code(), 1, 0, -1));
            broken.add(RawClient.nonsense(Operation.READ.code(), 1, 0, Integer.MAX_VALUE));
            for (byte[] bytes : broken) {
                try (RawClient client = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
                    client.out.write(bytes);
                    client.out.flush();
                    client.awaitEnd();
                }
            }
            assertThat(served.notes).hasSize(broken.size());
            assertServes(served);
        }
    }

    @Test
    void noiseInPlaceOfAProofEndsTheConnection() throws Exception {
        try (Served served = Served.in(place)) {
            Random random = new Random(Campaign.seed(2));
            for (int i = 0; i < 50; i++) {
                try (RawClient client = RawClient.stranger(served.port())) {
                    byte[] noise = new byte[Wire.MAGIC_BYTES + Greeting.CLIENT_BYTES];
                    random.nextBytes(noise);
                    if (i % 2 == 0) {
                        ByteBuffer.wrap(noise).putLong(Wire.MAGIC).putShort(Wire.VERSION);
                    }
                    client.out.write(noise);
                    client.awaitEnd();
                } catch (SocketException e) {
                    // The connection ended while the noise was sent.
                    assertThat(e).hasMessageMatching("Broken pipe|Connection reset.*");
                }
            }
            assertServes(served);
        }
    }

    @Test
    void strangersDoNotFillTheLog() throws Exception {
        try (Served served = Served.in(place)) {
            for (int i = 0; i < 110; i++) {
                try (RawClient client = RawClient.stranger(served.port())) {
                    client.in.readNBytes(Wire.MAGIC_BYTES + Greeting.SERVER_BYTES);
                    client.out.writeLong(Wire.MAGIC);
                    client.out.writeShort(7);
                    client.awaitEnd();
                }
            }
            assertThat(served.notes).hasSize(101)
                    .last()
                    .isEqualTo("more problems with clients in this minute are not reported");
        }
    }

    @Test
    void aClientThatStopsWithinARequestGivesItsMemoryBack() throws Exception {
        try (Served served = Served.in(place);
                RawClient client = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
            client.out.writeInt(Wire.MOST_REQUEST);
            client.out.writeInt(0);
            client.out.write(new byte[100]);
            client.out.flush();
            Awaitility.await().until(() -> served.server.memoryInUse() > 0);
            long now = System.nanoTime();
            // The first check sees what has arrived, the second that nothing more did.
            served.server.check(now);
            Awaitility.await().until(() -> {
                served.server.check(now + 2 * ServerConnection.STALL_LIMIT.toNanos());
                return served.server.memoryInUse() == 0;
            });
            client.awaitEnd();
            assertThat(served.notes).singleElement().asString().contains("it does not continue a request");
            assertServes(served);
        }
    }

    @Test
    void aClientThatDoesNotReadItsAnswersUsesItsShareOnly() throws Exception {
        try (Served served = Served.with(place, settings -> settings.withMemory(ServerSettings.LEAST_MEMORY))) {
            assertServes(served);
            try (SegmentClients clients = new SegmentClients(served.secret, false);
                    Segments segments = clients.open(served.address());
                    RawClient client = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
                Bytes.write(segments, KEY, 0, new byte[Wire.MOST_DATA]);
                client.socket.setReceiveBufferSize(4096);
                AtomicReference<Throwable> ended = new AtomicReference<>();
                Thread sender = Thread.ofVirtual().start(() -> {
                    try {
                        for (int i = 0; i < 200; i++) {
                            client.out.write(RawClient.read(i, KEY, Wire.MOST_DATA));
                        }
                    } catch (IOException e) {
                        ended.set(e);
                    }
                });
                Awaitility.await().until(() -> served.server.memoryInUse() > ServerSettings.LEAST_MEMORY / 4);
                for (int i = 0; i < 20; i++) {
                    assertThat(Bytes.read(segments, KEY, 0, Wire.MOST_DATA)).hasSize(Wire.MOST_DATA);
                    assertThat(served.server.memoryInUse()).isLessThanOrEqualTo(ServerSettings.LEAST_MEMORY);
                }
                AtomicLong clock = new AtomicLong(System.nanoTime());
                Awaitility.await().until(() -> {
                    served.server.check(clock.addAndGet(2 * ServerConnection.STALL_LIMIT.toNanos()));
                    return served.notes.stream().anyMatch(note -> note.contains("it does not take its answers"));
                });
                client.socket.shutdownInput();
                client.socket.shutdownOutput();
                sender.join();
            }
            served.awaitFree();
        }
    }

    @Test
    void aClientThatComesAgainWaitsForTheRequestsOfItsLostConnection() throws Exception {
        HeldSegments disk = new HeldSegments();
        try (Served served = Served.of(place, disk::over, settings -> settings)) {
            UUID client = UUID.randomUUID();
            try (RawClient first = RawClient.member(served.port(), served.secret, client)) {
                first.out.write(RawClient.bytes(Operation.SIZE, 1, KEY, 0));
                disk.held.await();
            }
            try (RawClient second = RawClient.stranger(served.port());
                    RawClient third = RawClient.stranger(served.port())) {
                second.prove(served.secret, client);
                Awaitility.await().until(() -> served.server.isAdmitted(second.socket.getLocalPort()));
                third.prove(served.secret, client);
                second.awaitEnd();
                assertThat(third.in.available()).isZero();
                served.server.check(System.nanoTime());
                disk.mayGo.countDown();
                assertThat((char) third.in.readByte()).isEqualTo('w');
            }
        }
    }

    @Test
    void aServerThatWorksSendsSignsOfLife() throws Exception {
        HeldSegments disk = new HeldSegments();
        try (Served served = Served.of(place, disk::over, settings -> settings);
                RawClient client = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
            client.out.write(RawClient.bytes(Operation.CREATE, 1, KEY, 0));
            assertThat(client.outcome()).isEqualTo('d');
            client.out.write(RawClient.bytes(Operation.SIZE, 2, KEY, 0));
            disk.held.await();
            served.server.check(System.nanoTime());
            assertThat(client.outcome()).isEqualTo('a');
            disk.mayGo.countDown();
            char outcome = client.outcome();
            while (outcome == 'a') {
                outcome = client.outcome();
            }
            assertThat(outcome).isEqualTo('d');
        }
    }

    @Test
    void aConnectionThatCannotBeAcceptedIsReportedInOneLineAndLaterOnesAre() throws Exception {
        try (Served served = Served.in(place)) {
            served.server.listener().pipeline().fireExceptionCaught(new IOException("Too many open files"));
            Awaitility.await().until(() -> !served.notes.isEmpty());
            assertThat(served.notes)
                    .containsExactly("no further connection can be accepted at present: Too many open files (EMFILE)");
            assertServes(served);
        }
    }

    /** Makes the threads of a server, while it can have more. */
    private static final class Threads implements ThreadFactory {
        private volatile boolean mayStart = true;

        @Override
        public Thread newThread(Runnable work) {
            if (!mayStart) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(work);
        }
    }

    @Test
    void aClientConnectsAgainAfterThereWasNoThreadForItsRequest() throws Exception {
        Threads threads = new Threads();
        List<String> notes = Collections.synchronizedList(new ArrayList<>());
        UUID client = UUID.randomUUID();
        try (Served served = Served.in(place);
                Segments own = LocalSegments.open(Linux.calls(), served.address());
                SegmentServer server = new SegmentServer(served.settings(0), served.id(), own, null, Tls.none(),
                        notes::add, threads)) {
            threads.mayStart = false;
            int port = server.address().getPort();
            try (RawClient raw = RawClient.member(port, served.secret, client)) {
                raw.out.write(RawClient.bytes(Operation.CREATE, 1, KEY, 0));
                raw.awaitEnd();
            }
            // No request of it runs any more, for which the next connection would wait.
            Awaitility.await().until(() -> server.clients() == 0 && server.memoryInUse() == 0);
            assertThat(notes).singleElement().asString().contains("could not begin", "unable to create native thread");
            threads.mayStart = true;
            try (RawClient raw = RawClient.member(port, served.secret, client)) {
                raw.out.write(RawClient.bytes(Operation.CREATE, 1, KEY, 0));
                assertThat(raw.outcome()).isEqualTo('d');
            }
        }
    }

    @Test
    void listingsForWhichThereWasNoThreadDoNotCount() throws Exception {
        Threads threads = new Threads();
        try (Served served = Served.in(place);
                Segments own = LocalSegments.open(Linux.calls(), served.address());
                SegmentServer server = new SegmentServer(served.settings(0).withThreads(1), served.id(), own, null,
                        Tls.none(), note -> {}, threads);
                SegmentClients clients = new SegmentClients(served.secret, false);
                Segments segments = clients.open(served.at(server.address().getPort()))) {
            segments.create(KEY);
            threads.mayStart = false;
            // More than may be made at the same time.
            for (int i = 0; i < 40; i++) {
                assertThatThrownBy(() -> segments.list(segment -> {})).isInstanceOf(StageException.class)
                        .hasMessageNotContaining("EBUSY");
            }
            threads.mayStart = true;
            List<SegmentKey> found = new ArrayList<>();
            segments.list(segment -> found.add(segment.key()));
            assertThat(found).containsExactly(KEY);
        }
    }

    @Test
    void aServerHasAsManyClientsAsItTakes() throws Exception {
        try (Served served = Served.with(place, settings -> settings.withClients(1));
                SegmentClients clients = new SegmentClients(served.secret, false)) {
            Segments first = clients.open(served.address());
            assertThatThrownBy(() -> clients.open(served.address())).isInstanceOf(StageException.class)
                    .hasMessageContaining("it has as many clients as it takes");
            first.close();
            Awaitility.await().until(() -> served.server.clients() == 0);
            clients.open(served.address()).close();
        }
    }

    @Test
    void aClientDoesNotWaitForManyThatAreSilent() throws Exception {
        try (Served served = Served.in(place)) {
            List<RawClient> others = strangers(served, 100);
            assertServes(served);
            // It has not lost its place to the client.
            others.getFirst().prove(served.secret, UUID.randomUUID());
            assertThat((char) others.getFirst().in.readByte()).isEqualTo('w');
            for (RawClient other : others) {
                other.close();
            }
        }
    }

    @Test
    void thoseThatKeepOthersWaitingLoseTheirPlaces() throws Exception {
        try (Served served = Served.in(place); ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<RawClient> others = strangers(served, SegmentServer.MOST_STRANGERS + 10);
            Future<Void> client = threads.submit(() -> {
                for (int tries = 1; tries < 20 && !isServed(served); tries++) {
                    // On a busy machine, it may be one of those that lose their places, too.
                }
                assertServes(served);
                return null;
            });
            // The limit only ends a test that has failed.
            Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> {
                served.server.endStrangers(System.nanoTime() + Duration.ofSeconds(4).toNanos());
                return client.isDone();
            });
            client.get();
            for (RawClient other : others) {
                other.close();
            }
        }
    }

    private static boolean isServed(Served served) {
        try {
            assertServes(served);
            return true;
        } catch (StageException e) {
            return false;
        }
    }

    private static List<RawClient> strangers(Served served, int number) throws IOException {
        List<RawClient> others = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            others.add(RawClient.stranger(served.port()));
        }
        return others;
    }

    @Test
    void answersToRequestsThatHaveArrivedAreSentBeforeTheEnd() throws Exception {
        // More than the kernel takes of a connection that is not read.
        int number = 20;
        HeldSegments disk = new HeldSegments();
        try (Served served = Served.of(place, disk::over, settings -> settings);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                RawClient client = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
            Files.write(place.resolve("segments").resolve(KEY.name()), new byte[Wire.MOST_DATA]);
            ByteArrayOutputStream requests = new ByteArrayOutputStream();
            for (int i = 1; i <= number; i++) {
                requests.write(RawClient.read(i, KEY, Wire.MOST_DATA));
            }
            requests.write(RawClient.bytes(Operation.SIZE, number + 1L, KEY, 0));
            client.out.write(requests.toByteArray());
            disk.held.await();
            Future<?> end = threads.submit(() -> served.server.close());
            disk.mayGo.countDown();
            for (int answers = 0; answers <= number; answers++) {
                assertThat(client.outcome()).isEqualTo('d');
            }
            client.awaitEnd();
            end.get();
        }
    }

    @Test
    void aRequestThatComesTooLateDoesNotEndTheConnectionBeforeTheAnswerToAnother() throws Exception {
        HeldSegments disk = new HeldSegments();
        try (Served served = Served.of(place, disk::over, settings -> settings);
                RawClient client = RawClient.member(served.port(), served.secret, UUID.randomUUID())) {
            Files.write(place.resolve("segments").resolve(KEY.name()), new byte[5]);
            client.out.write(RawClient.bytes(Operation.SIZE, 1, KEY, 0));
            disk.held.await();
            Thread end = Thread.ofPlatform().start(() -> served.server.close());
            // It waits for the request, and takes no others.
            Awaitility.await().until(() -> end.getState() == Thread.State.TIMED_WAITING);
            client.out.write(RawClient.bytes(Operation.SIZE, 2, KEY, 0));
            try {
                for (int signs = 0; signs < 2; signs++) {
                    served.server.check(System.nanoTime());
                    assertThat(client.outcome()).isEqualTo('a');
                }
            } finally {
                disk.mayGo.countDown();
            }
            assertThat(client.outcome()).isEqualTo('d');
            client.awaitEnd();
            end.join();
        }
    }

    @Test
    void manyClientsShareTheMemory() throws Exception {
        int number = 200;
        try (Served served = Served.with(place, settings -> settings.withMemory(ServerSettings.LEAST_MEMORY));
                SegmentClients clients = new SegmentClients(served.secret, false);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<Void>> work = new ArrayList<>();
            for (int i = 0; i < number; i++) {
                SegmentKey key = Bytes.key(i);
                byte[] bytes = Bytes.random(i, 70_000);
                Segments segments = clients.open(served.address());
                work.add(() -> {
                    segments.create(key);
                    Bytes.write(segments, key, 0, bytes);
                    assertThat(served.server.memoryInUse()).isLessThanOrEqualTo(ServerSettings.LEAST_MEMORY);
                    assertThat(Bytes.read(segments, key, 0, bytes.length)).isEqualTo(bytes);
                    return null;
                });
            }
            assertThat(served.server.clients()).isEqualTo(number);
            for (Future<Void> done : threads.invokeAll(work)) {
                done.get();
            }
            served.awaitFree();
        }
    }

    @Test
    void aLinkInTheDirectoryLeadsNowhere() throws Exception {
        try (Served served = Served.in(place);
                SegmentClients clients = new SegmentClients(served.secret, false);
                Segments segments = clients.open(served.address())) {
            Path outside = Files.writeString(place.resolve("outside"), "outside");
            Files.createSymbolicLink(place.resolve("segments").resolve(KEY.name()), outside);
            assertThatThrownBy(() -> Bytes.write(segments, KEY, 0, new byte[10])).isInstanceOf(StageException.class)
                    .hasMessageContaining("ELOOP");
            assertThat(outside).hasContent("outside");
        }
    }
}
