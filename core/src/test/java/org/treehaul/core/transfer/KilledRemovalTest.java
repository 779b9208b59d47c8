// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.testing.Campaign;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;

/**
 * Removals by processes that are killed or suspended at random calls, while a user makes removed names anew: nothing is
 * removed that was not planned, and every planned entry is gone or reported.
 */
class KilledRemovalTest {

    private static final int FILES = 160;
    // Two workers of this tree make about 450 calls each, finishing about 200.
    private static final int WORKER_CALLS = 300;
    private static final int FINISHING_CALLS = 160;

    /** A tree, its removal, and the user who makes names anew. */
    private static final class Rig implements AutoCloseable {
        final Random random;
        final TestDirectory directory = TestDirectory.onTmpfs();
        final Path tree = directory.directory("tree");
        final Set<Path> bystanders = new HashSet<>();
        // Guarded by itself.
        final Set<Path> anew = new HashSet<>();
        final Map<Path, Object> planned = new HashMap<>();
        final TransferDirectory transfer;

        Rig(long seed, int threads) throws IOException {
            random = new Random(seed);
            for (int i = 0; i < FILES; i++) {
                Path file = tree.resolve("d" + i % 12 + "/e" + i % 3 + "/f" + i);
                Files.createDirectories(file.getParent());
                Files.writeString(file, "planned");
            }
            Path outside = Files.writeString(directory.resolve("outside"), "kept");
            for (int i = 0; i < 6; i++) {
                Files.createLink(tree.resolve("d" + i + "/outside" + i), outside);
                Files.createLink(tree.resolve("d" + i + "/second" + i), tree.resolve("d11/e2/f11"));
                Files.createSymbolicLink(tree.resolve("d" + i + "/link" + i), outside);
            }
            bystanders.add(outside);
            try (Stream<Path> all = Files.walk(tree)) {
                for (Path path : all.toList()) {
                    planned.put(path, key(path));
                }
            }
            // Only the end of a batch is durable, so that a killed worker leaves many entries to try again.
            transfer = WalkedPlans.onEntries(transfers(), new Operation.Remove(), tree, threads, 3, event -> {},
                    TransferFixture.FAST.withDurable(Duration.ofHours(1), 1L << 30));
            for (int i = 0; i < 12; i += 5) {
                bystanders.add(Files.writeString(tree.resolve("d" + i + "/bystander"), "kept"));
            }
        }

        private static Object key(Path path) throws IOException {
            return Files.getAttribute(path, "unix:ino", LinkOption.NOFOLLOW_LINKS);
        }

        Transfers transfers() throws IOException {
            return Transfers.in(directory.resolve("state"));
        }

        // One that was removed is not made again, so that the loss is seen.
        private boolean isAnew(Path name) {
            synchronized (anew) {
                return anew.contains(name);
            }
        }

        /** Makes some of the names that are gone. */
        void makeAnew(Random own) throws IOException {
            List<Path> names = new ArrayList<>(planned.keySet());
            for (int i = 0; i < 20; i++) {
                Path name = names.get(own.nextInt(names.size()));
                if (name.equals(tree) || isAnew(name) || Files.exists(name, LinkOption.NOFOLLOW_LINKS)) {
                    continue;
                }
                try {
                    Files.createDirectories(name.getParent());
                    Files.writeString(name, "anew", StandardOpenOption.CREATE_NEW);
                    synchronized (anew) {
                        anew.add(name);
                    }
                } catch (NoSuchFileException | FileAlreadyExistsException e) {
                    // The directory was empty once more, and is removed.
                }
            }
        }

        /** Lets the user work until the action ends. */
        void whileTheUserWorks(Action action) throws Exception {
            AtomicBoolean isOver = new AtomicBoolean();
            Random own = new Random(random.nextLong());
            List<Throwable> failures = new ArrayList<>();
            Thread user = Thread.ofPlatform().start(() -> {
                try {
                    while (!isOver.get()) {
                        makeAnew(own);
                    }
                } catch (IOException | RuntimeException e) {
                    failures.add(e);
                }
            });
            try {
                action.run();
            } finally {
                isOver.set(true);
                user.join();
            }
            assertThat(failures).isEmpty();
        }

        void assertNothingElseIsRemoved() {
            assertThat(bystanders).allSatisfy(file -> assertThat(file).hasContent("kept"));
            synchronized (anew) {
                assertThat(anew).allSatisfy(file -> assertThat(file).hasContent("anew"));
            }
        }

        /** Completes the removal, and compares its report with the tree. */
        void complete() throws IOException {
            TransferResult result = TransferFixture.resume(transfers(), transfer, event -> {});
            assertThat(result.state()).as(result.toString())
                    .isIn(TransferResult.State.COMPLETE, TransferResult.State.PARTIAL);
            Set<Path> failed = new TreeSet<>();
            transfers().failures(transfer, failure -> failed.add(Path.of(failure.failure().fullPath().toString())));
            long entries = planned.keySet().stream().filter(path -> !isDirectory(path)).count();
            assertThat(result.entries()).isEqualTo(entries);
            long failedEntries = failed.stream()
                    .filter(path -> planned.containsKey(path) && !isDirectory(path))
                    .count();
            assertThat(result.done() + failedEntries).as("entries that are done or reported").isEqualTo(entries);
            for (Map.Entry<Path, Object> one : planned.entrySet()) {
                Path path = one.getKey();
                boolean isNew;
                synchronized (anew) {
                    isNew = anew.stream().anyMatch(name -> name.startsWith(path))
                            || bystanders.stream().anyMatch(name -> name.startsWith(path));
                }
                if (!isNew) {
                    assertThat(failed.contains(path) || !Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                            .as(path + " is gone or reported: " + failed)
                            .isTrue();
                }
            }
            assertThat(failed).as("reported, but neither new nor above something new")
                    .allSatisfy(path -> assertThat(Files.exists(path, LinkOption.NOFOLLOW_LINKS)).as(path.toString())
                            .isTrue());
        }

        private boolean isDirectory(Path path) {
            int names = path.getNameCount() - tree.getNameCount();
            String last = path.getFileName().toString();
            return names == 0 || last.startsWith("d") || last.startsWith("e");
        }

        @Override
        public void close() {
            directory.close();
        }
    }

    /** Something to do that may fail. */
    @FunctionalInterface
    private interface Action {
        void run() throws Exception;
    }

    private static void killAndMakeAnew(long seed) throws Exception {
        try (Rig rig = new Rig(seed, 2)) {
            int first = rig.transfers().start(rig.transfer);
            rig.whileTheUserWorks(() -> {
                TransferProcess.killWorkers(rig.transfer, first, rig.random, WORKER_CALLS);
            });
            rig.assertNothingElseIsRemoved();
            rig.whileTheUserWorks(() -> {
                int second = rig.transfers().resume(rig.transfer);
                try (TransferProcess worker = TransferProcess.worker(rig.transfer, second, 0)) {
                    worker.await();
                }
                TransferProcess.killFinishing(rig.transfer, second, rig.random, FINISHING_CALLS);
            });
            rig.assertNothingElseIsRemoved();
            rig.complete();
            rig.assertNothingElseIsRemoved();
        }
    }

    // With one thread: a second one could be suspended after it compared an entry, and before it removes the name.
    private static void stopAndMakeAnew(long seed) throws Exception {
        try (Rig rig = new Rig(seed, 1)) {
            int first = rig.transfers().start(rig.transfer);
            rig.whileTheUserWorks(() -> {
                try (TransferProcess late = TransferProcess.worker(rig.transfer, first, 0,
                        FatalCalls.stop(rig.random, WORKER_CALLS / 3));
                        TransferProcess other = TransferProcess.worker(rig.transfer, first, 1)) {
                    // It takes the batch of the stopped one over.
                    other.await();
                    rig.makeAnew(new Random(seed));
                    late.continueToItsEnd();
                }
            });
            rig.assertNothingElseIsRemoved();
            rig.complete();
            rig.assertNothingElseIsRemoved();
        }
    }

    @Test
    void afterKillsAtAFewCallsOnlyPlannedEntriesAreRemoved() throws Exception {
        Campaign.each(1, 3, KilledRemovalTest::killAndMakeAnew);
    }

    @Test
    void aWorkerThatWasSuspendedRemovesNothingThatIsNew() throws Exception {
        stopAndMakeAnew(1);
    }

    @Tag("campaign")
    @Test
    void afterKillsAtManyCallsOnlyPlannedEntriesAreRemoved() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(60), KilledRemovalTest::killAndMakeAnew);
    }

    @Tag("campaign")
    @Test
    void workersThatWereSuspendedAtManyCallsRemoveNothingThatIsNew() throws Exception {
        Campaign.each(Campaign.seed(100), Campaign.cases(60), KilledRemovalTest::stopAndMakeAnew);
    }
}
