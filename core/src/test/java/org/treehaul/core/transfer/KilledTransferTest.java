// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.EntryKind;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.ListedEntry;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeRemoval;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;

/**
 * Workers and finishing that are killed at any moment: after a resume, the transfer ends as if nothing had happened.
 */
class KilledTransferTest {

    private static void tree(TreeWriter writer) {
        TransferTest.tree(writer);
        for (int i = 0; i < 300; i++) {
            writer.file(TransferTest.path("many/d" + i % 30 + "/f" + i), 2_000 + i, i);
        }
    }

    private static void old(TransferFixture fixture) throws IOException {
        Files.createDirectory(fixture.target());
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), fixture.target())) {
            for (int i = 0; i < 60; i += 2) {
                writer.file(TransferTest.path("d" + i % 7 + "/small" + i), 200 + i, 1000 + i);
            }
            writer.file(TransferTest.path("e0/large0"), 2L * TransferFixture.CHUNK_BYTES, 99);
        }
    }

    private static void killAtRandomMoments(int kills, long seed) throws Exception {
        try (TransferFixture fixture = TransferFixture.onTmpfs()) {
            fixture.with(KilledTransferTest::tree);
            SortedMap<ByteString, ListedEntry> wanted = TreeListing.of(Linux.calls(), fixture.source()).byPath();
            // On a busy machine the short lease may lapse, and the measured run would stop.
            long[] nanos = times(fixture);
            fixture.withTiming(TransferFixture.FAST);
            Random random = new Random(seed);
            for (int i = 0; i < kills; i++) {
                remove(fixture);
                if (i % 2 == 1) {
                    old(fixture);
                }
                TransferDirectory transfer = fixture.planned(6);
                int generation = fixture.transfers().start(transfer);
                if (i % 3 == 2) {
                    fixture.work(transfer, generation);
                    try (TransferProcess finishing = i % 2 == 0
                            ? TransferProcess.finishing(transfer, generation)
                            : TransferProcess.last(transfer, generation)) {
                        TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos[1]));
                        finishing.kill();
                    }
                } else {
                    killWorkers(transfer, generation, random, nanos[0]);
                }
                assertNothingIsTorn(fixture, wanted);
                if (i % 5 == 4) {
                    // Killed once more, on top of the remains of the first.
                    killWorkers(transfer, fixture.transfers().resume(transfer), random, nanos[0]);
                }
                TransferResult early = fixture.finish(transfer, transfer.generations().newest());
                // An incomplete transfer is never called complete.
                if (early.state() == TransferResult.State.COMPLETE) {
                    fixture.isCopied();
                }
                TransferResult result = fixture.resume(transfer);
                assertThat(result.state()).as("kill " + i + ": " + result + fixture.failures())
                        .isEqualTo(TransferResult.State.COMPLETE);
                assertThat(result.done()).isEqualTo(result.entries());
                fixture.isCopied();
                fixture.transfers().forget(transfer);
            }
        }
    }

    private static void remove(TransferFixture fixture) throws IOException {
        if (Files.exists(fixture.target())) {
            TreeRemoval.remove(Linux.calls(), fixture.target());
        }
    }

    private static void killWorkers(TransferDirectory transfer, int generation, Random random, long nanos)
            throws InterruptedException {
        try (TransferProcess first = TransferProcess.worker(transfer, generation, 0);
                TransferProcess second = TransferProcess.worker(transfer, generation, 1)) {
            TimeUnit.NANOSECONDS.sleep(random.nextLong(nanos));
            first.kill();
            second.kill();
        }
    }

    /** Returns the time that a worker and the finishing take, once each. */
    private static long[] times(TransferFixture fixture) throws Exception {
        TransferDirectory transfer = fixture.planned(6);
        int generation = fixture.transfers().start(transfer);
        long start = System.nanoTime();
        try (TransferProcess worker = TransferProcess.worker(transfer, generation, 0)) {
            start = System.nanoTime();
            worker.await();
        }
        long worked = System.nanoTime() - start;
        long finished;
        try (TransferProcess finishing = TransferProcess.finishing(transfer, generation)) {
            start = System.nanoTime();
            assertThat(String.join("\n", finishing.await())).contains("state=COMPLETE");
            finished = System.nanoTime() - start;
        }
        fixture.isCopied();
        return new long[]{worked, finished};
    }

    private static void assertNothingIsTorn(TransferFixture fixture, SortedMap<ByteString, ListedEntry> wanted) {
        if (!Files.exists(fixture.target())) {
            return;
        }
        TreeListing.of(Linux.calls(), fixture.target()).byPath().forEach((path, entry) -> {
            ListedEntry fresh = wanted.get(path);
            if (entry.status().kind() != EntryKind.REGULAR || fresh == null
                    || fresh.status().size() < FileAccess.BUFFER_BYTES) {
                assertThat(fresh != null || path.toString().contains(".treehaul-")).as(path.toString()).isTrue();
                return;
            }
            boolean isOld = path.toString().equals("e0/large0")
                    && entry.status().size() == 2L * TransferFixture.CHUNK_BYTES;
            assertThat(isOld || entry.content().equals(fresh.content())).as(path + " is whole").isTrue();
        });
    }

    @Test
    void killedAtAFewMomentsItEndsRightWhenResumed() throws Exception {
        killAtRandomMoments(4, 1);
    }

    @Tag("campaign")
    @Test
    void killedAtManyMomentsItEndsRightWhenResumed() throws Exception {
        killAtRandomMoments(Campaign.cases(200), Campaign.seed(2));
    }
}
