// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOver;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.async.ServedStage;

/** Copies of segments on servers that are reached through the network, and end, fill up or lose what they have. */
class ServedCopiesTest {

    private static final int STRIPE = 4096;
    private static final ByteString TOP = ByteString.empty();
    private static final ByteString PATH = ByteString.of("a/file");
    private static final StripeLayout LAYOUT = new StripeLayout(List.of("s1", "s2", "s3"), 3, STRIPE, 2);

    @TempDir
    Path place;
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
    // Asked before each write of a server.
    private final AtomicReference<Fate> fate = new AtomicReference<>(server -> {});
    private ServedStage served;
    private Stage stage;

    /** Decides what happens to a write of a server. */
    private interface Fate {
        void before(String server) throws StageException;
    }

    @BeforeEach
    void open() throws Exception {
        served = ServedStage.over(place, 3, inner -> new Doomed(inner, fate));
        stage = served.open();
    }

    @AfterEach
    void close() {
        served.close();
    }

    private StageReports reports() {
        return new StageReports(ByteString.of("tree"), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, new Progress(), new Cancellation());
    }

    private List<StageFinding> check() throws StageException {
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(served.open(), 2, findings::add, false, reports()).run();
        return findings;
    }

    private List<StageRepair.Built> repair() throws StageException {
        List<StageRepair.Built> built = new ArrayList<>();
        new StageRepair(Linux.calls(), served.open(), 2, false, false).run(TOP, reports(), built::add);
        return built;
    }

    private void assertWhole(byte[] bytes) throws StageException {
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(bytes);
        failures.clear();
        new StageVerify(Linux.calls(), served.open(), 2).run(TOP, reports());
        assertThat(failures).isEmpty();
        assertThat(check()).isEmpty();
    }

    private StagedFile entry() {
        return stage.catalogue().find(PATH).orElseThrow();
    }

    // The process dies while it writes: a part is written, and no answer comes.
    private static Fate killed(String name) {
        return server -> {
            if (server.contains(name)) {
                throw new AssertionError("killed");
            }
        };
    }

    @Test
    void smallFilesAreStagedWithCopiesOnServers() throws Exception {
        Path source = Files.createDirectory(place.resolve("tree"));
        byte[] bytes = StageFixture.content(1, 3000);
        Files.write(source.resolve("small"), bytes);
        StageReports reports = reports();
        new StageIn(Linux.calls(), stage, new StageInOptions(List.of("s1", "s2", "s3"), 0, STRIPE, 2, false, 2))
                .run(Root.of(source), TOP, reports);
        assertThat(failures).isEmpty();
        assertThat(StageFixture.read(served.open(), ByteString.of("small"))).isEqualTo(bytes);
        assertThat(check()).isEmpty();
    }

    @Test
    void aServerThatDiesInTheMiddleOfAWriteIsMarkedBeforeTheWriteReturnsAndRepairedWhenItIsBack() throws Exception {
        byte[] bytes = StageFixture.content(1, 100_000);
        StageFixture.make(stage, PATH, LAYOUT, bytes);
        byte[] more = StageFixture.content(2, 3 * STRIPE);
        try (ParallelFile file = stage.open(PATH, true)) {
            fate.set(killed("segments2"));
            file.write(ByteBuffer.wrap(more), 0);
            assertThat(entry().stale()).matches("\\d@s2(,\\d@s2)?");
            served.stop(2);
        }
        fate.set(server -> {});
        System.arraycopy(more, 0, bytes, 0, more.length);
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(bytes);
        assertThat(check()).extracting(StageFinding::kind).containsOnly(StageFinding.Kind.UNREACHABLE);
        // The repair and new files fail by the name of the server; nothing is built elsewhere, because it may come back.
        assertThat(repair()).isEmpty();
        assertThat(failures).isNotEmpty().allMatch(failure -> failure.toString().contains("s2 (127.0.0.1:"));
        assertThatThrownBy(() -> StageFixture.make(served.open(), ByteString.of("new"), LAYOUT, bytes))
                .hasMessageContaining("s2 (127.0.0.1:");
        served.restart(2);
        assertThat(repair()).isNotEmpty().allMatch(built -> built.target().equals("s2"));
        assertWhole(bytes);
        assertThat(entry().stale()).isEmpty();
    }

    @Test
    void aServerIsDrainedIntoTheOthersThroughTheNetwork() throws Exception {
        byte[] bytes = StageFixture.content(1, 100_000);
        StageFixture.make(stage, PATH, LAYOUT, bytes);
        StageDrain drain = new StageDrain(Linux.calls(), stage, 2, true);
        // It dies on the way; the drain is repeated.
        fate.set(killed("segments3"));
        assertThat(drain.run("s1", reports())).isFalse();
        assertThat(failures).isNotEmpty();
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(bytes);
        fate.set(server -> {});
        failures.clear();
        assertThat(new StageDrain(Linux.calls(), served.open(), 2, true).run("s1", reports())).isTrue();
        assertThat(failures).isEmpty();
        assertThat(entry().servers()).doesNotContain("s1");
        served.stop(1);
        assertWhole(bytes);
        assertThat(served.check()).isEmpty();
    }

    @Test
    void aServerThatIsFullMissesItsCopiesAndHasTheRoomAgainWhenTheFileIsRemoved() throws Exception {
        byte[] bytes = StageFixture.content(1, 100_000);
        fate.set(server -> {
            if (server.contains("segments2")) {
                throw new StageException("segment of server s2", "write", Errno.ENOSPC);
            }
        });
        StageFixture.make(stage, PATH, LAYOUT, bytes);
        assertThat(entry().stale()).contains("@s2").doesNotContain("@s1", "@s3");
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(bytes);
        assertThat(repair()).isEmpty();
        assertThat(failures).isNotEmpty().allMatch(failure -> failure.errno() == Errno.ENOSPC);
        // With one copy, the file fails by the name of the server, and nothing is left of it.
        StripeLayout single = new StripeLayout(List.of("s1", "s2", "s3"), 3, STRIPE);
        ParallelFile failing = stage.create(ByteString.of("single"), single, 0600);
        assertThatThrownBy(() -> failing.write(ByteBuffer.wrap(bytes))).isInstanceOf(StageException.class)
                .hasMessageContaining("job:single")
                .hasMessageContaining("s2 (127.0.0.1:")
                .hasMessageContaining("ENOSPC");
        failing.abandon();
        assertThat(stage.catalogue().find(ByteString.of("single"))).isEmpty();
        fate.set(server -> {});
        failures.clear();
        assertThat(repair()).isNotEmpty();
        assertWhole(bytes);
        assertThat(served.check()).isEmpty();
    }

    /** Segments whose writes have a fate. */
    private static final class Doomed extends SegmentsOver {
        private final Segments inner;
        private final AtomicReference<Fate> fate;

        Doomed(Segments inner, AtomicReference<Fate> fate) {
            this.inner = inner;
            this.fate = fate;
        }

        @Override
        protected Segments segments() {
            return inner;
        }

        @Override
        public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
            try {
                Objects.requireNonNull(fate.get()).before(server());
            } catch (AssertionError e) {
                SegmentPart first = parts.getFirst();
                super.write(key, List
                        .of(new SegmentPart(first.offset(), first.bytes().asSlice(0, first.bytes().byteSize() / 2))));
                throw e;
            }
            super.write(key, parts);
        }
    }
}
