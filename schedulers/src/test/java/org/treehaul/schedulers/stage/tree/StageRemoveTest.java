// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.stage.tree;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.walk.options.Root;
import org.treehaul.schedulers.stage.LocalServers;
import org.treehaul.schedulers.stage.ParallelFile;
import org.treehaul.schedulers.stage.SegmentKey;
import org.treehaul.schedulers.stage.Segments;
import org.treehaul.schedulers.stage.SegmentsOpener;
import org.treehaul.schedulers.stage.SegmentsOver;
import org.treehaul.schedulers.stage.Stage;
import org.treehaul.schedulers.stage.StageException;
import org.treehaul.schedulers.stage.StageFixture;
import org.treehaul.schedulers.stage.StagedFile;
import org.treehaul.schedulers.stage.StagedState;
import org.treehaul.schedulers.stage.StripeLayout;

/** The removal of many entries of a stage. */
class StageRemoveTest {

    private static final int FILES = 400;
    private static final ByteString TOP = ByteString.empty();

    private final Progress progress = new Progress();
    private final Cancellation cancellation = new Cancellation();
    private final List<EntryFailure> failures = Collections.synchronizedList(new ArrayList<>());
    private StageFixture fixture;

    @BeforeEach
    void makeFiles() throws Exception {
        fixture = new StageFixture(2);
        Stage stage = fixture.open();
        for (int d = 0; d < 10; d++) {
            stage.catalogue().commit(List.of(directory(d)));
        }
        List<StagedFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            StripeLayout layout = new StripeLayout(List.of("d" + (1 + i % 2)), 1, 4096);
            StagedFile intent = stage.intent(ByteString.of("run/e" + i % 10 + "/f" + i), layout, 0600);
            files.add(intent.in(StagedState.COMMITTED));
            stage.catalogue().begin(List.of(intent));
            stage.open(intent);
        }
        stage.catalogue().commit(files);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private static StagedFile directory(int number) {
        return new StagedFile("job", ByteString.of("run/e" + number), UUID.randomUUID(), 1, StagedState.COMMITTED,
                EntryKind.DIRECTORY, 0, 0755, 0, 0, 0, 0, null, "", 0, 0);
    }

    /** Called before the segments of a server are removed. */
    private interface Before {
        void remove(int call, SegmentKey key) throws StageException;
    }

    private Stage open(AtomicInteger calls, Before before) {
        SegmentsOpener local = LocalServers.opener(Linux.calls());
        return fixture.open(server -> {
            Segments below = local.open(server);
            return new SegmentsOver() {
                @Override
                protected Segments segments() {
                    return below;
                }

                @Override
                public void remove(SegmentKey key) throws StageException {
                    before.remove(calls.incrementAndGet(), key);
                    super.remove(key);
                }
            };
        });
    }

    private StageReports reports() {
        return new StageReports(ByteString.of("tree"), event -> {
            if (event instanceof Event.Failed failed) {
                failures.add(failed.failure());
            }
        }, progress, cancellation);
    }

    private List<StageFinding> check() throws StageException {
        List<StageFinding> findings = new ArrayList<>();
        new StageCheck(fixture.open(), 2, findings::add, false, reports()).run();
        return findings;
    }

    @Test
    void severalServersAreAskedAtTheSameTimeAndOnceForEachSegment() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        CountDownLatch atOnce = new CountDownLatch(3);
        Stage stage = open(calls, (call, key) -> {
            atOnce.countDown();
            try {
                // Two threads would wait here until the time is over.
                assertThat(atOnce.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        new StageRemove(stage, 3).run(ByteString.of("run"), true, reports());
        assertThat(calls).hasValue(FILES);
        assertThat(progress.snapshot().files()).isEqualTo(FILES);
        assertThat(progress.snapshot().entries()).isEqualTo(FILES + 10);
        assertThat(failures).isEmpty();
        assertThat(check()).isEmpty();
        assertThat(stage.catalogue().isAnythingAt(TOP)).isFalse();
        for (int i = 1; i <= 2; i++) {
            try (Stream<Path> left = Files.list(fixture.server(i))) {
                assertThat(left).as("the mark of the server").hasSize(1);
            }
        }
    }

    @Test
    void theReceiverGetsTheUnsavedFilesOneByOne() throws Exception {
        List<StagedFile> unsaved = new ArrayList<>();
        new StageRemove(fixture.open(), 4, unsaved::add).run(ByteString.of("run"), true, reports());
        assertThat(unsaved).hasSize(FILES).doesNotHaveDuplicates();
    }

    @Test
    void aFileThatIsRenamedOutOfTheTreeDuringTheRemovalStays() throws Exception {
        Stage stage = fixture.open();
        Stage program = fixture.open();
        List<String> moved = new ArrayList<>();
        List<StagedFile> unsaved = new ArrayList<>();
        // The paths are removed from the last to the first.
        new StageRemove(stage, 1, entry -> {
            unsaved.add(entry);
            if (moved.isEmpty()) {
                moved.add("run/e0/f0");
                try {
                    program.rename(ByteString.of("run/e0/f0"), ByteString.of("kept"));
                } catch (StageException e) {
                    throw new IllegalStateException(e);
                }
            }
        }).run(ByteString.of("run"), true, reports());
        assertThat(unsaved.size()).isEqualTo(FILES - 1);
        assertThat(stage.catalogue().find(ByteString.of("kept"))).isPresent();
        assertThat(stage.catalogue().isAnythingAt(ByteString.of("run"))).isFalse();
        assertThat(check()).isEmpty();
    }

    @Test
    void aFileThatAnotherProgramClosesWhileUnfinishedOnesAreRemovedStays() throws Exception {
        Stage program = fixture.open();
        List<ParallelFile> open = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            ParallelFile file = program.create(ByteString.of("new/f" + i),
                    new StripeLayout(StageFixture.servers(2), 2, 4096), 0600);
            file.write(ByteBuffer.wrap(StageFixture.content(i, 5000)));
            open.add(file);
        }
        List<ByteString> closed = new ArrayList<>();
        Stage stage = open(new AtomicInteger(), (call, key) -> {
            if (call == 1) {
                for (ParallelFile file : open) {
                    try {
                        file.close();
                        closed.add(file.path());
                    } catch (StageException e) {
                        assertThat(e.errno()).isEqualTo(Errno.ESTALE);
                    }
                }
            }
        });
        Path source = Files.createDirectory(fixture.path().resolve("source"));
        new StageIn(Linux.calls(), stage, new StageInOptions(StageFixture.servers(2), 0, 4096, 1, false))
                .run(Root.of(source), ByteString.of("new"), reports());
        assertThat(closed).hasSizeBetween(1, 99);
        for (ByteString path : closed) {
            int number = Integer.parseInt(path.toString().substring("new/f".length()));
            assertThat(StageFixture.read(fixture.open(), path)).isEqualTo(StageFixture.content(number, 5000));
        }
        assertThat(check()).isEmpty();
    }

    @Test
    void aDirectoryLeavesTheCatalogueAfterItsContent() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        List<String> early = Collections.synchronizedList(new ArrayList<>());
        Stage stage = open(calls, (call, key) -> {
            for (int d = 0; call % 10 == 0 && d < 10; d++) {
                ByteString directory = ByteString.of("run/e" + d);
                if (fixture.catalogue().find(directory).isEmpty() && fixture.catalogue().isAnythingAt(directory)) {
                    early.add(directory.toString());
                }
            }
        });
        new StageRemove(stage, 3).run(ByteString.of("run"), true, reports());
        assertThat(early).isEmpty();
        assertThat(calls).hasValue(FILES);
    }

    @Test
    void aCancelledRemovalLeavesNoSegmentWithoutAnEntry() throws Exception {
        Stage stage = open(new AtomicInteger(), (call, key) -> cancellation.cancel());
        new StageRemove(stage, 2).run(ByteString.of("run"), true, reports());
        assertThat(progress.snapshot().files()).isBetween(1L, FILES - 1L);
        assertThat(check()).isEmpty();
        assertThat(stage.catalogue().isAnythingAt(ByteString.of("run"))).isTrue();
    }

    @Test
    void segmentsThatCannotBeRemovedAreReportedByNameAndFoundByTheCheck() throws Exception {
        Stage stage = open(new AtomicInteger(), (call, key) -> {
            if (call % 100 == 0) {
                throw new StageException("segment " + key, "remove", Errno.EIO);
            }
        });
        new StageRemove(stage, 3).run(ByteString.of("run"), true, reports());
        assertThat(failures).hasSize(FILES / 100)
                .allSatisfy(failure -> assertThat(failure.path().toString()).startsWith("e"));
        assertThat(stage.catalogue().isAnythingAt(TOP)).isFalse();
        assertThat(check()).hasSize(FILES / 100)
                .allSatisfy(found -> assertThat(found.kind()).isEqualTo(StageFinding.Kind.ORPHAN));
    }

    @Test
    void theSegmentsOfALargeFileAreRemovedAtTheSameTime() throws Exception {
        CountDownLatch atOnce = new CountDownLatch(2);
        Stage stage = open(new AtomicInteger(), (call, key) -> {
            atOnce.countDown();
            try {
                assertThat(atOnce.await(2, TimeUnit.MINUTES)).isTrue();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        StageFixture.make(stage, ByteString.of("large"), new StripeLayout(StageFixture.servers(2), 2, 4096),
                StageFixture.content(1, 20_000));
        stage.remove(ByteString.of("large"));
        assertThat(check()).isEmpty();
    }
}
