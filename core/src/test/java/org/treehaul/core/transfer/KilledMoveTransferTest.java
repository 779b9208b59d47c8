// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Objects;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeAssert.Aspect;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/**
 * Moves by processes that are killed or suspended at random calls: each file is whole at its source or at its
 * destination at any moment, and the resumed transfer ends right.
 */
class KilledMoveTransferTest {

    private static final int FILES = 120;
    // Two workers of this tree make about 3,000 calls each, finishing about 3,500.
    private static final int WORKER_CALLS = 2_000;
    private static final int FINISHING_CALLS = 3_500;
    private static final int EXAMINED = 60;

    /** A tree and its move. */
    private static final class Rig implements AutoCloseable {
        final Random random;
        final TransferFixture fixture = TransferFixture.onTmpfs()
                .withTiming(TransferFixture.FAST.withDurable(Duration.ofHours(1), 1L << 30));
        final SortedMap<ByteString, ListedEntry> wanted;
        final TreeListing listing;
        final TransferDirectory transfer;

        Rig(long seed) throws IOException {
            random = new Random(seed);
            fixture.with(writer -> {
                for (int i = 0; i < FILES; i++) {
                    writer.file(path("d" + i % 8 + "/e" + i % 3 + "/f" + i), 50L * i, i);
                }
                for (int i = 0; i < FILES; i += 6) {
                    writer.hardLink(path("d" + i % 8 + "/e" + i % 3 + "/f" + i), path("links/l" + i))
                            .hardLink(path("links/l" + i), path("d7/m" + i));
                }
                writer.file(path("large"), 2 * TransferFixture.CHUNK_BYTES, 1)
                        .hardLink(path("large"), path("d1/large"))
                        .symlink(path("d1/link"), path("nowhere"))
                        .special(path("d2/fifo"), EntryKind.FIFO, 0);
            });
            listing = TreeListing.of(Linux.calls(), fixture.source());
            wanted = new TreeMap<>(listing.byPath());
            transfer = WalkedPlans.move(fixture, TransferFixture.options());
        }

        private static ByteString path(String text) {
            return ByteString.of(text);
        }

        private SortedMap<ByteString, ListedEntry> left() {
            return Files.exists(fixture.source())
                    ? TreeListing.of(Linux.calls(), fixture.source()).byPath()
                    : new TreeMap<>();
        }

        void assertNothingIsLost() {
            SortedMap<ByteString, ListedEntry> left = left();
            SortedMap<ByteString, ListedEntry> moved = Files.exists(fixture.target())
                    ? TreeListing.of(Linux.calls(), fixture.target()).byPath()
                    : new TreeMap<>();
            wanted.forEach((path, entry) -> {
                ListedEntry now = left.containsKey(path) ? left.get(path) : moved.get(path);
                assertThat(now).as(path + " is neither at the source nor at the target").isNotNull();
                assertThat(Objects.requireNonNull(now).content()).as(path.toString()).isEqualTo(entry.content());
                assertThat(now.status().kind()).isEqualTo(entry.status().kind());
            });
        }

        boolean isPartlyRemoved() {
            int number = left().size();
            return number > 0 && number < wanted.size();
        }

        void complete() throws IOException {
            TransferResult result = fixture.resume(transfer);
            assertThat(result.state()).as(result + " " + fixture.failures()).isEqualTo(TransferResult.State.COMPLETE);
            isMoved();
        }

        void isMoved() {
            assertThat(fixture.source()).doesNotExist();
            // Directories that are finished again have the time at which their entries were removed.
            TreeAssert.assertThat(TreeListing.of(Linux.calls(), fixture.target()))
                    .ignoring(Aspect.DIRECTORY_TIMES)
                    .isCopyOf(listing);
            fixture.hasNothingLeft();
        }

        @Override
        public void close() {
            fixture.close();
        }
    }

    // Returns whether a finishing was killed between two removals.
    private static boolean kill(long seed) throws Exception {
        try (Rig rig = new Rig(seed)) {
            int first = rig.fixture.transfers().start(rig.transfer);
            if (seed % 3 == 0) {
                TransferProcess.killWorkers(rig.transfer, first, rig.random, WORKER_CALLS);
                rig.assertNothingIsLost();
                first = rig.fixture.transfers().resume(rig.transfer);
            }
            rig.fixture.work(rig.transfer, first);
            boolean isPartlyRemoved = false;
            for (int i = 0; i < 2 && Files.exists(rig.fixture.source()); i++) {
                int generation = i == 0 ? first : rig.fixture.transfers().resume(rig.transfer);
                TransferProcess.killFinishing(rig.transfer, generation, rig.random, FINISHING_CALLS);
                rig.assertNothingIsLost();
                isPartlyRemoved |= rig.isPartlyRemoved();
            }
            if (rig.fixture.transfers().status(rig.transfer).state() != TransferStatus.State.COMPLETE) {
                rig.complete();
            } else {
                rig.isMoved();
            }
            return isPartlyRemoved;
        }
    }

    // A worker that wakes up after another one has taken its batch over, and finishing has removed the sources.
    private static void suspendWorker(long seed) throws Exception {
        try (Rig rig = new Rig(seed)) {
            int first = rig.fixture.transfers().start(rig.transfer);
            try (TransferProcess late = TransferProcess.worker(rig.transfer, first, 0,
                    FatalCalls.stop(rig.random, EXAMINED));
                    TransferProcess other = TransferProcess.worker(rig.transfer, first, 1)) {
                other.await();
                rig.fixture.finishAtLast(rig.transfer, first);
                rig.assertNothingIsLost();
                late.continueToItsEnd();
            }
            rig.assertNothingIsLost();
            rig.complete();
        }
    }

    private static void suspendFinishing(long seed) throws Exception {
        try (Rig rig = new Rig(seed)) {
            int first = rig.fixture.transfers().start(rig.transfer);
            rig.fixture.work(rig.transfer, first);
            try (TransferProcess late = TransferProcess.finishing(rig.transfer, first,
                    FatalCalls.stop(rig.random, FINISHING_CALLS / 2))) {
                rig.fixture.resume(rig.transfer);
                // The user makes everything anew.
                boolean isGone = !Files.exists(rig.fixture.source());
                if (isGone) {
                    Files.createDirectories(rig.fixture.source().resolve("d0/e0"));
                    Files.writeString(rig.fixture.source().resolve("d0/e0/f0"), "anew");
                }
                late.continueToItsEnd();
                if (isGone) {
                    assertThat(rig.fixture.source().resolve("d0/e0/f0")).hasContent("anew");
                    Files.delete(rig.fixture.source().resolve("d0/e0/f0"));
                    Files.delete(rig.fixture.source().resolve("d0/e0"));
                    Files.delete(rig.fixture.source().resolve("d0"));
                    Files.delete(rig.fixture.source());
                }
            }
            rig.assertNothingIsLost();
            rig.complete();
        }
    }

    @Test
    void killedAtAFewCallsNothingIsLost() throws Exception {
        boolean isPartlyRemoved = false;
        // The moments depend on the time, too: without one in the removal, they say nothing about it.
        for (long seed = 1; seed <= 3 || !isPartlyRemoved && seed <= 40; seed++) {
            isPartlyRemoved |= kill(seed);
        }
        assertThat(isPartlyRemoved).isTrue();
    }

    @Test
    void aWorkerThatWasSuspendedRemovesNothing() throws Exception {
        suspendWorker(1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyCallsNothingIsLost() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(100), KilledMoveTransferTest::kill);
    }

    @Tag("campaign")
    @Test
    void workersAndFinishingThatWereSuspendedRemoveNothing() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(40), seed -> {
            suspendWorker(seed);
            suspendFinishing(seed);
        });
    }
}
