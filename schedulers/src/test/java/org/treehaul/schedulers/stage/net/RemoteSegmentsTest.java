// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongSupplier;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.state.Host;
import org.treehaul.schedulers.stage.Catalogue;
import org.treehaul.schedulers.stage.LocalSegments;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageServer;
import org.treehaul.schedulers.stage.StoredSegment;
import org.treehaul.tuplespace.store.SpaceUri;

/** The segments of a server over the network, as programs use them. */
class RemoteSegmentsTest {

    @TempDir
    Path place;
    private Served served;
    private SegmentClients clients;
    private Segments remote;

    @BeforeEach
    void connect() throws Exception {
        served = Served.in(place);
        clients = new SegmentClients(served.secret, false);
        remote = clients.open(served.address());
    }

    @AfterEach
    void end() {
        clients.close();
        served.close();
    }

    @Test
    void bytesComeBackAsTheyWereWritten() throws Exception {
        SegmentKey key = Bytes.key(1);
        byte[] bytes = Bytes.random(1, 3 * Wire.MOST_DATA + 17);
        remote.create(key);
        Bytes.write(remote, key, 5, bytes);
        assertThat(Bytes.read(remote, key, 5, bytes.length)).isEqualTo(bytes);
        assertThat(Bytes.read(remote, key, bytes.length, 100))
                .isEqualTo(Arrays.copyOfRange(bytes, bytes.length - 5, bytes.length));
        assertThat(Bytes.read(remote, key, 1L << 40, 100)).isEmpty();
        assertThat(remote.size(key)).isEqualTo(bytes.length + 5);
        assertThat(Files.size(place.resolve("segments").resolve(key.name()))).isEqualTo(bytes.length + 5);
        served.awaitFree();
    }

    @Test
    void memoryThatOnlyItsThreadMayUseServesAsWell() throws Exception {
        SegmentKey key = Bytes.key(9);
        byte[] bytes = Bytes.random(9, 2 * Wire.MOST_DATA);
        remote.create(key);
        try (Arena arena = Arena.ofConfined()) {
            remote.write(key, List.of(new SegmentPart(0, arena.allocateFrom(ValueLayout.JAVA_BYTE, bytes))));
            MemorySegment into = arena.allocate(bytes.length + 10L).fill((byte) 1);
            assertThat(remote.read(key, List.of(new SegmentPart(0, into)))).isEqualTo(bytes.length);
            assertThat(into.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(Arrays.copyOf(bytes, bytes.length + 10));
        }
    }

    @Test
    void largeMemoryIsReusedAsSoonAsAnOperationHasEnded() throws Exception {
        SegmentKey key = Bytes.key(10);
        remote.create(key);
        for (int i = 0; i < 10; i++) {
            try (Arena arena = Arena.ofShared()) {
                MemorySegment memory = arena.allocate(3L * Wire.MOST_DATA).fill((byte) i);
                remote.write(key, List.of(new SegmentPart(0, memory)));
                memory.fill((byte) -1);
            }
            try (Arena arena = Arena.ofShared()) {
                MemorySegment memory = arena.allocate(4L * Wire.MOST_DATA).fill((byte) -1);
                assertThat(remote.read(key, List.of(new SegmentPart(0, memory)))).isEqualTo(3L * Wire.MOST_DATA);
                assertThat(memory.asSlice(0, 3L * Wire.MOST_DATA).toArray(ValueLayout.JAVA_BYTE)).containsOnly(i);
                assertThat(memory.asSlice(3L * Wire.MOST_DATA).toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
            }
        }
    }

    @Test
    void anOperationThatCannotBeSentKeepsNoRoom() throws Exception {
        SegmentKey key = Bytes.key(11);
        remote.create(key);
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate(Wire.MOST_DATA);
        arena.close();
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> remote.write(key, List.of(new SegmentPart(0, gone))))
                    .isInstanceOf(IllegalStateException.class);
        }
        CompletableFuture<Long> next = ((Segments.Pipelined) remote).begin(key,
                List.of(new SegmentPart(0, Bytes.memory(new byte[Wire.MOST_DATA]))), true);
        // The limit only ends a test that has failed.
        Awaitility.await().atMost(Duration.ofMinutes(5)).until(next::isDone);
        assertThat(next).isCompletedWithValue(0L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anOperationForWhichNoThreadWaitsEndsAlsoAfterTheThreadsOfTheNetwork(boolean isWrite) {
        clients.close();
        assertThat(((Segments.Pipelined) remote).begin(Bytes.key(12),
                List.of(new SegmentPart(0, Bytes.memory(new byte[Wire.MOST_DATA]))), isWrite))
                .isCompletedExceptionally();
    }

    @Test
    void scatteredPartsAreOneOperation() throws Exception {
        SegmentKey key = Bytes.key(2);
        remote.create(key);
        byte[] bytes = Bytes.random(2, 40_000);
        List<SegmentPart> parts = new ArrayList<>();
        // More ranges than fit into a request, and the last ones first.
        for (int i = 9_999; i >= 0; i--) {
            parts.add(new SegmentPart(i * 7L, Bytes.memory(Arrays.copyOfRange(bytes, i * 4, i * 4 + 4))));
        }
        remote.write(key, parts);
        assertThat(remote.size(key)).isEqualTo(9_999 * 7L + 4);
        List<SegmentPart> read = new ArrayList<>();
        for (int i = 0; i < 10_001; i++) {
            MemorySegment into = Arena.ofAuto().allocate(4).fill((byte) 1);
            read.add(new SegmentPart(i * 7L, into));
        }
        assertThat(remote.read(key, read)).isEqualTo(40_000);
        for (int i = 0; i < 10_000; i++) {
            assertThat(read.get(i).bytes().toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(Arrays.copyOfRange(bytes, i * 4, i * 4 + 4));
        }
        assertThat(read.getLast().bytes().toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    }

    @Test
    void anOperationOnNothingStillFindsAnAbsentSegment() throws Exception {
        assertThatThrownBy(() -> remote.write(Bytes.key(3), List.of())).isInstanceOf(StageException.class)
                .hasMessageContaining("ESTALE");
        remote.create(Bytes.key(3));
        remote.write(Bytes.key(3), List.of());
        assertThat(Bytes.read(remote, Bytes.key(3), 0, 0)).isEmpty();
    }

    @Test
    void sizesGenerationsAndChecksumsAreThoseOfTheServer() throws Exception {
        SegmentKey key = Bytes.key(4);
        remote.create(key);
        remote.grow(key, 1000);
        remote.grow(key, 10);
        assertThat(remote.size(key)).isEqualTo(1000);
        remote.truncate(key, 400);
        long[] sums = new long[40_000];
        Arrays.setAll(sums, i -> i * 0x1_0000_0001L);
        remote.writeSums(key, 3, sums);
        long[] read = new long[40_003];
        remote.readSums(key, 0, read);
        assertThat(Arrays.copyOfRange(read, 3, read.length)).isEqualTo(sums);
        remote.sync(key);
        remote.advance(key, 5);
        assertThat(remote.size(key.in(5))).isEqualTo(400);
        assertThatThrownBy(() -> Bytes.write(remote, key, 0, new byte[10])).isInstanceOf(StageException.class)
                .hasMessageContaining(key.name())
                .hasMessageContaining("n1 (127.0.0.1:")
                .hasMessageContaining("ESTALE");
        remote.remove(key.in(5));
        remote.remove(key.in(5));
        assertThat(listed()).isEmpty();
    }

    @Test
    void aListingOfManySegmentsComesInParts() throws Exception {
        Set<SegmentKey> made = new HashSet<>();
        for (int i = 0; i < 2_500; i++) {
            SegmentKey key = Bytes.key(i);
            Files.createFile(place.resolve("segments").resolve(key.name()));
            made.add(key);
        }
        assertThat(listed()).isEqualTo(made);
        for (int i = 0; i < 40; i++) {
            // More than the server makes at the same time, if they did not end.
            assertThatThrownBy(() -> remote.list(segment -> {
                throw new IllegalStateException("enough");
            })).hasMessage("enough");
        }
        assertThat(listed()).isEqualTo(made);
    }

    private Set<SegmentKey> listed() throws StageException {
        Set<SegmentKey> found = Collections.synchronizedSet(new HashSet<>());
        remote.list((StoredSegment segment) -> found.add(segment.key()));
        return found;
    }

    @Test
    void threadsShareAConnection() throws Exception {
        List<Callable<Void>> work = new ArrayList<>();
        for (int thread = 0; thread < 8; thread++) {
            SegmentKey key = Bytes.key(thread);
            byte[] bytes = Bytes.random(thread, 2 * Wire.MOST_DATA + thread);
            work.add(() -> {
                remote.create(key);
                for (int i = 0; i < 4; i++) {
                    Bytes.write(remote, key, 0, bytes);
                    assertThat(Bytes.read(remote, key, 0, bytes.length)).isEqualTo(bytes);
                }
                return null;
            });
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (Future<Void> done : threads.invokeAll(work)) {
                done.get();
            }
        }
        assertThat(served.server.clients()).isEqualTo(1);
        served.awaitFree();
    }

    @Test
    void aServerDescribesItsHostAndDirectory() throws Exception {
        StageServer found = clients.find("run", "first", "127.0.0.1:" + served.port());
        assertThat(found).isEqualTo(new StageServer("run", "first", "here", served.id(), served.address().directory(),
                "127.0.0.1:" + served.port()));
    }

    @Test
    void aServerGetsAnotherNameIfAnotherProcessHasJustTakenTheFirstOne() throws Exception {
        try (Catalogue catalogue = Catalogue.open(new SpaceUri(SpaceUri.MEMORY, "names" + System.nanoTime()), "run")) {
            StageServer theirs = new StageServer("run", "s1", "there", UUID.randomUUID(), ByteString.of("/d"),
                    "there:1");
            // The clock is read when the connection is made.
            LongSupplier clock = () -> {
                try {
                    catalogue.add(theirs);
                } catch (StageException e) {
                    throw new IllegalStateException(e);
                }
                return System.nanoTime();
            };
            try (SegmentClients late = new SegmentClients(served.secret, false, Duration.ofSeconds(30), clock)) {
                late.add(catalogue, List.of("127.0.0.1:" + served.port()));
            }
            assertThat(catalogue.servers()).extracting(StageServer::name).containsExactly("s1", "s2");
        }
    }

    @Test
    void aServerWithSegmentsOfAnotherCatalogueIsNotAdded() throws Exception {
        List<String> address = List.of("127.0.0.1:" + served.port());
        try (Catalogue catalogue = Catalogue.open(new SpaceUri(SpaceUri.MEMORY, "own" + System.nanoTime()), "run")) {
            remote.create(Bytes.key(1));
            assertThatThrownBy(() -> clients.add(catalogue, address)).isInstanceOf(StageException.class)
                    .hasMessageContaining("new (127.0.0.1:")
                    .hasMessageContaining("segments of another catalogue");
            remote.remove(Bytes.key(1));
            clients.add(catalogue, address);
            remote.create(Bytes.key(1));
            clients.add(catalogue, address);
            assertThat(catalogue.servers()).hasSize(1);
        }
    }

    @Test
    void theDirectoryOfThisHostIsOpenedWithoutItsServer() throws Exception {
        StageServer here = served.address();
        StageServer own = new StageServer("run", "n1", Host.name(), here.id(), here.directory(), here.address());
        try (Segments local = clients.withLocal(Linux.calls()).open(own);
                Segments far = clients.withLocal(Linux.calls()).open(here)) {
            assertThat(local).isInstanceOf(LocalSegments.class);
            assertThat(far).isInstanceOf(RemoteSegments.class);
            local.create(Bytes.key(1));
            Bytes.write(local, Bytes.key(1), 0, Bytes.random(1, 10));
            assertThat(Bytes.read(far, Bytes.key(1), 0, 10)).isEqualTo(Bytes.random(1, 10));
        }
        StageServer moved = new StageServer("run", "n1", Host.name(), here.id(),
                here.directory().plus(ByteString.of("2")), here.address());
        try (Segments far = clients.withLocal(Linux.calls()).open(moved)) {
            assertThat(far).isInstanceOf(RemoteSegments.class);
        }
    }

    @Test
    void anotherDirectoryIsNotTakenForThatOfTheServer() {
        StageServer other = new StageServer("run", "n1", "here", UUID.randomUUID(), served.address().directory(),
                served.address().address());
        assertThatThrownBy(() -> clients.open(other)).isInstanceOf(StageException.class)
                .hasMessageContaining("it serves another directory, that with the id " + served.id());
    }

    @Test
    void aSecondServerOfTheDirectoryIsRefused() {
        assertThatThrownBy(() -> ServedDirectory.open(Linux.calls(), served.address().directory(), "here"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("another process serves this directory");
    }

    @Test
    void aFullDiskFailsTheWriteByName() throws Exception {
        served.close();
        served = Served.over(place,
                FaultInjectingCalls.over(Linux.calls(), Fault.on(Call.PWRITE).from(2).fails(Errno.ENOSPC)));
        try (Segments full = clients.open(served.address())) {
            SegmentKey key = Bytes.key(6);
            full.create(key);
            assertThatThrownBy(() -> Bytes.write(full, key, 0, new byte[8 * Wire.MOST_DATA]))
                    .isInstanceOfSatisfying(StageException.class, e -> {
                        assertThat(e.errno()).isEqualTo(Errno.ENOSPC);
                        assertThat(e).hasMessageContaining(key.name()).hasMessageContaining("n1 (127.0.0.1:");
                    });
            assertThat(full.size(key)).isLessThanOrEqualTo(8L * Wire.MOST_DATA);
            served.awaitFree();
        }
    }

    @Test
    void aRestartedServerIsReachedAgain() throws Exception {
        SegmentKey key = Bytes.key(7);
        remote.create(key);
        Bytes.write(remote, key, 0, Bytes.random(7, 1000));
        served.restart();
        Awaitility.await()
                .untilAsserted(() -> assertThat(Bytes.read(remote, key, 0, 1000)).isEqualTo(Bytes.random(7, 1000)));
    }

    @Test
    void aServerThatIsGoneFailsWhatNeedsItByName() throws Exception {
        SegmentKey key = Bytes.key(8);
        remote.create(key);
        served.server.close();
        Awaitility.await()
                .untilAsserted(() -> assertThatThrownBy(() -> remote.size(key)).isInstanceOf(StageException.class)
                        .hasMessageContaining("n1 (127.0.0.1:" + served.port() + "): connect: Connection refused"));
    }

    @Test
    void operationsAfterCloseFail() throws Exception {
        remote.close();
        Awaitility.await()
                .untilAsserted(
                        () -> assertThatThrownBy(() -> remote.size(Bytes.key(9))).isInstanceOf(StageException.class)
                                .hasMessageContaining("the stage was closed"));
    }

    @Test
    void segmentsCanBeClosedAfterAllConnections() {
        clients.close();
        remote.close();
        assertThatThrownBy(() -> remote.size(Bytes.key(9))).isInstanceOf(StageException.class)
                .hasMessageContaining("the stage was closed");
    }

    @Test
    void anAddressThatOtherHostsCannotUseIsRefused() {
        for (String address : List.of(":" + served.port(), "127.0.0.1:0")) {
            assertThatThrownBy(() -> clients.find("run", "s1", address)).isInstanceOf(StageException.class)
                    .hasMessage("s1 (" + address + "): connect: clients need the host and the port of a server, as it "
                            + "prints them when it starts");
        }
        assertThatThrownBy(() -> clients.find("run", "s1", "127.0.0.1")).isInstanceOf(StageException.class)
                .hasMessage("s1 (127.0.0.1): connect: its address is not HOST:PORT");
    }
}
