// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.SegmentPart;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOver;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StripeLayout;
import org.treehaul.schedulers.stage.async.ServedStage;
import org.treehaul.schedulers.stage.tree.StageCheck;
import org.treehaul.schedulers.stage.tree.StageFinding;
import org.treehaul.schedulers.stage.tree.StageReports;
import org.treehaul.strategies.collective.CollectiveException;
import org.treehaul.strategies.collective.CollectiveRanks;
import org.treehaul.strategies.collective.CollectiveSettings;
import org.treehaul.strategies.collective.FileView;
import org.treehaul.strategies.ranks.communicator.Transport;

/** Collective writes during which a server dies. */
class LostServerCollectiveTest {

    private static final int STRIPE = 4096;
    private static final ByteString PATH = ByteString.of("result");
    private static final StripeLayout LAYOUT = new StripeLayout(List.of("s1", "s2", "s3"), 3, STRIPE);
    private static final List<Integer> HOSTS = List.of(0, 0, 1, 1);
    private static final int BLOCK = 100;
    private static final int BLOCKS = 300;

    @TempDir
    Path place;
    private final byte[] data = StageFixture.content(3, HOSTS.size() * BLOCK * BLOCKS);
    // Whether the second server dies in its next write.
    private final AtomicBoolean isDoomed = new AtomicBoolean();
    private ServedStage served;

    @BeforeEach
    void open() throws Exception {
        served = ServedStage.over(place, 3, inner -> new Doomed(inner, isDoomed));
    }

    @AfterEach
    void close() {
        served.close();
    }

    /** Writes the data collectively; returns the failure that each rank reports. */
    private List<String> write(List<ParallelFile> filesOfHosts) {
        List<String> told = Collections.synchronizedList(new ArrayList<>());
        CollectiveSettings settings = CollectiveParallelFile.aligned(CollectiveSettings.defaults().withBuffer(16 << 10),
                filesOfHosts.getFirst());
        Transport.threads().run(HOSTS, communicator -> {
            int rank = communicator.rank();
            FileView view = FileView.vector((long) rank * BLOCK, BLOCKS, BLOCK, (long) HOSTS.size() * BLOCK);
            ByteBuffer memory = ByteBuffer.allocate(BLOCK * BLOCKS);
            for (int i = 0; i < BLOCKS; i++) {
                memory.put(i * BLOCK, data, (i * HOSTS.size() + rank) * BLOCK, BLOCK);
            }
            try (CollectiveRanks ranks = new CollectiveRanks(communicator, settings)) {
                ranks.write(new CollectiveParallelFile(filesOfHosts.get(HOSTS.get(rank))), view, memory);
            } catch (CollectiveException e) {
                told.add(String.valueOf(e.getMessage()));
            }
        });
        return told;
    }

    private void assertAllNameTheServer(List<String> told) {
        assertThat(told).hasSize(HOSTS.size())
                .containsOnly(told.getFirst())
                .allMatch(one -> one.contains("job:result") && one.contains("s2 (127.0.0.1:"));
    }

    private List<StageFinding.Kind> check() throws StageException {
        List<StageFinding.Kind> findings = new ArrayList<>();
        StageReports reports = new StageReports(ByteString.of("job:"), EventListener.none(), new Progress(),
                new Cancellation());
        new StageCheck(served.open(), 2, finding -> findings.add(finding.kind()), false, reports).run();
        assertThat(reports.failures()).isEmpty();
        return findings;
    }

    @Test
    void aFileWithItsPathIsMarkedAndReadAgainOnlyAfterItWasEmptied() throws Exception {
        Stage stage = served.open();
        List<ParallelFile> files = new ArrayList<>();
        files.add(stage.create(PATH, LAYOUT, 0600));
        assertThat(files.getFirst().publish()).isTrue();
        files.add(served.open().open(PATH, true));
        isDoomed.set(true);
        assertAllNameTheServer(write(files));
        served.stop(2);
        assertThat(stage.catalogue().find(PATH).orElseThrow().incomplete()).containsExactly("1!s2");
        for (ParallelFile file : files) {
            // A rank that had written nothing yet does not need the server.
            assertThat(catchThrowable(file::close)).satisfiesAnyOf(none -> assertThat(none).isNull(),
                    failure -> assertThat(failure).hasMessageContaining("s2 (127.0.0.1:"));
        }
        assertThat(check()).contains(StageFinding.Kind.INCOMPLETE, StageFinding.Kind.UNREACHABLE);
        served.restart(2);
        // The server is there again, and has a part of the data.
        assertThat(check()).contains(StageFinding.Kind.INCOMPLETE).doesNotContain(StageFinding.Kind.UNREACHABLE);
        assertThatThrownBy(() -> served.open().open(PATH, false)).isInstanceOfSatisfying(StageException.class, e -> {
            assertThat(e.errno()).isEqualTo(Errno.EIO);
            assertThat(e).hasMessageContaining("job:result: open: the file is incomplete").hasMessageContaining("1!s2");
        });
        Stage again = served.open();
        again.rename(PATH, ByteString.of("other"));
        again.rename(ByteString.of("other"), PATH);
        assertThat(check()).contains(StageFinding.Kind.INCOMPLETE);
        try (ParallelFile file = again.open(PATH, true)) {
            file.truncate(0);
            assertThat(write(List.of(file, file))).isEmpty();
        }
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(data);
        assertThat(check()).isEmpty();
    }

    @Test
    void aNewFileDoesNotGetItsPath() throws Exception {
        byte[] before = StageFixture.content(4, 10_000);
        StageFixture.make(served.open(), PATH, LAYOUT, before);
        Stage stage = served.open();
        ParallelFile file = stage.create(PATH, LAYOUT, 0600);
        isDoomed.set(true);
        assertAllNameTheServer(write(List.of(file, file)));
        served.stop(2);
        served.restart(2);
        assertThatThrownBy(file::close).hasMessageContaining("close: the file is incomplete")
                .hasMessageContaining("1!s2");
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(before);
        assertThat(check()).contains(StageFinding.Kind.UNFINISHED);
        file.abandon();
        assertThat(check()).isEmpty();
    }

    @Test
    void aSecondCopyHasWhatTheServerMissed() throws Exception {
        try (ParallelFile file = served.open().create(PATH, new StripeLayout(LAYOUT.servers(), 3, STRIPE, 2), 0600)) {
            isDoomed.set(true);
            assertThat(write(List.of(file, file))).isEmpty();
        }
        assertThat(served.open().catalogue().find(PATH).orElseThrow().incomplete()).isEmpty();
        assertThat(check()).containsOnly(StageFinding.Kind.STALE);
        assertThat(StageFixture.read(served.open(), PATH)).isEqualTo(data);
    }

    /** Segments whose server dies in the middle of a write: a part is written, and no answer comes. */
    private static final class Doomed extends SegmentsOver {
        private final Segments inner;
        private final AtomicBoolean isDoomed;

        Doomed(Segments inner, AtomicBoolean isDoomed) {
            this.inner = inner;
            this.isDoomed = isDoomed;
        }

        @Override
        protected Segments segments() {
            return inner;
        }

        @Override
        public void write(SegmentKey key, List<SegmentPart> parts) throws StageException {
            if (server().contains("segments2") && isDoomed.getAndSet(false)) {
                SegmentPart first = parts.getFirst();
                super.write(key, List
                        .of(new SegmentPart(first.offset(), first.bytes().asSlice(0, first.bytes().byteSize() / 2))));
                throw new AssertionError("killed");
            }
            super.write(key, parts);
        }
    }
}
