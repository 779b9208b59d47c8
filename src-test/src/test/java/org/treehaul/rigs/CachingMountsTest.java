// SPDX-License-Identifier: Apache-2.0
package org.treehaul.rigs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Call;
import org.treehaul.core.fs.Fault;
import org.treehaul.core.fs.FaultInjectingCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.strategies.Strategies;

/**
 * Workers of one transfer on two mounts of its state directory that cache attributes, names and missing names for an
 * hour: no worker takes over the batch of a live one, and a worker whose batch was taken over notices it.
 */
@Tag("rig")
class CachingMountsTest {

    // No worker is silent for this long during a test, under any load.
    private static final Timing TIMING = Timing.defaults()
            .withHeartbeat(Duration.ofMillis(100), Duration.ofMinutes(10));

    private static final int ATTEMPTS = 5;
    private static final FileTime LONG_AGO = FileTime.from(Instant.EPOCH);

    /**
     * The paths of one directory on different mounts.
     *
     * @param local a directory of the local disk, for the copied data
     * @param plain a mount without a cache
     * @param first a mount with a cache
     * @param second another mount with a cache
     */
    private record Views(Path local, Path plain, Path first, Path second) {}

    private interface Scenario {
        void run(Views views) throws Exception;
    }

    /** A mount no longer caches what a scenario needs in its cache, such as after the kernel freed memory. */
    private static final class CacheLostException extends Exception {
        private static final long serialVersionUID = 1;

        CacheLostException(String message) {
            super(message);
        }
    }

    private static void requireCached(boolean isCached, String message) throws CacheLostException {
        if (!isCached) {
            throw new CacheLostException(message);
        }
    }

    private interface Attempt {
        void run(int number) throws Exception;
    }

    /** Repeats a scenario whose cache was lost. */
    private static void untilCached(Attempt attempt) throws Exception {
        for (int number = 1;; number++) {
            try {
                attempt.run(number);
                return;
            } catch (CacheLostException e) {
                if (number == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private static void onBindfs(Scenario test) throws Exception {
        untilCached(number -> onNewBindfs(test));
    }

    private static void onNewBindfs(Scenario test) throws Exception {
        try (TestDirectory directory = TestDirectory.make();
                Bindfs first = Bindfs.showCaching(directory.directory("behind"), directory.directory("first"));
                Bindfs second = Bindfs.showCaching(directory.resolve("behind"), directory.directory("second"))) {
            test.run(new Views(directory.directory("local"), directory.resolve("behind"), first.resolve(""),
                    second.resolve("")));
        }
    }

    @Test
    @Tag("happy-path")
    void aBatchWhoseClaimIsNotSeenYetIsLeftToItsWorker() throws Exception {
        onBindfs(CachingMountsTest::leavesClaimed);
    }

    @Test
    void aLiveWorkerIsNotTakenForDeadBecauseOfAnOldAttribute() throws Exception {
        onBindfs(CachingMountsTest::leavesLiving);
    }

    @Test
    void aWorkerThatIsTakenOverChangesNothingMore() throws Exception {
        onBindfs(CachingMountsTest::takenOver);
    }

    @Test
    void aPlanThatWasMissedIsSeenWhenItIsThere() throws Exception {
        onBindfs(CachingMountsTest::seesPlan);
    }

    @Test
    void allOfThisHoldsOnGluster() throws Exception {
        try (NetworkFileSystem gluster = NetworkFileSystem.gluster()) {
            Path first = gluster.mountCaching("first");
            Path second = gluster.mountCaching("second");
            int scenario = 0;
            for (Scenario test : List.<Scenario>of(CachingMountsTest::leavesClaimed, CachingMountsTest::leavesLiving,
                    CachingMountsTest::takenOver, CachingMountsTest::seesPlan)) {
                int place = ++scenario;
                untilCached(attempt -> {
                    String name = place + "." + attempt;
                    Path local = Files.createDirectory(gluster.local(name));
                    Files.createDirectory(gluster.resolve(name));
                    test.run(new Views(local, gluster.resolve(name), first.resolve(name), second.resolve(name)));
                });
            }
        }
    }

    /** A transfer of one batch, and a worker of it on the first mount that can be paused while it works. */
    private static final class Fixture implements AutoCloseable {
        private final Views views;
        private final Path source;
        private final Path target;
        private final TransferDirectory there;
        private final CountDownLatch isOpen = new CountDownLatch(1);
        private final List<String> notices = Collections.synchronizedList(new ArrayList<>());
        private final Cancellation cancellation = new Cancellation();
        private CompletableFuture<WorkResult> working = CompletableFuture.completedFuture(null);
        private int generation;

        Fixture(Views views) throws Exception {
            this.views = views;
            source = Transfers.files(views.local.resolve("S"), 20, 500);
            target = Files.createDirectory(views.local.resolve("D")).resolve("T");
            there = org.treehaul.core.transfer.Transfers.in(views.first.resolve("state"))
                    .create(new Operation.Copy(), "", TIMING);
        }

        private final EventListener listener = event -> {
            if (event instanceof Event.Notice notice) {
                notices.add(notice.text());
            }
        };

        Fixture plan() throws IOException {
            PlanRequest.Pair pair = new PlanRequest.Pair(Root.of(ByteString.of(source.toString())),
                    ByteString.of(target.toString()));
            PlanRequest request = PlanRequest.of(there.id().text(), List.of(pair), Strategies.sizeBalanced())
                    .withLimits(1, BatchLimits.batches(1))
                    .withSettings(CopySettings.of(CopyOptions.archive().threads(1).build()));
            Planner.of(Linux.calls(), request).plan(there.plan(), listener, new Progress(), new Cancellation());
            generation = org.treehaul.core.transfer.Transfers.in(views.first.resolve("state")).start(there);
            return this;
        }

        /** Returns the path of a file of the transfer on a mount. */
        Path at(Path view, String name) {
            return view.resolve("state/transfers").resolve(there.id().text()).resolve(name);
        }

        TransferDirectory onSecond() throws IOException {
            return TransferDirectory.open(at(views.second, ""));
        }

        /**
         * Starts a worker on the first mount and pauses it at its first file; returns after a heartbeat of the worker.
         */
        void hold() {
            FaultInjectingCalls held = FaultInjectingCalls.over(Linux.calls(),
                    Fault.on(Call.OPENAT).named("f0").runs(invocation -> {
                        try {
                            isOpen.await();
                        } catch (InterruptedException e) {
                            Thread.currentThread().interrupt();
                        }
                    }));
            working = CompletableFuture.supplyAsync(() -> {
                try {
                    return Worker.of(held, there, generation).work(listener, new Progress(), cancellation);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }, action -> Thread.ofPlatform().start(action));
            awaitBeat();
        }

        /** Waits for as long as a complete check of the state directory by the paused worker takes. */
        void awaitBeat() {
            for (int i = 0; i < 3; i++) {
                Path progress = at(views.plain, "progress/0.1");
                Object before = content(progress);
                Awaitility.await()
                        .atMost(Duration.ofMinutes(5))
                        .until(() -> working.isDone() || !content(progress).equals(before));
            }
        }

        private static String content(Path file) {
            try {
                return Files.readString(file);
            } catch (IOException e) {
                return "";
            }
        }

        WorkResult workOnSecond() throws IOException {
            return Worker.of(Linux.calls(), onSecond(), generation).work(listener, new Progress(), new Cancellation());
        }

        void completesOnSecond() throws Exception {
            TransferResult result = Finishing.of(Linux.calls(), onSecond(), generation)
                    .finish(listener, new Progress(), new Cancellation());
            assertThat(result.state()).as(result + " " + notices).isEqualTo(TransferResult.State.COMPLETE);
            Transfers.assertCopied(source, target);
        }

        @Override
        public void close() {
            cancellation.cancel();
            isOpen.countDown();
            working.handle((result, failure) -> result).join();
        }

        List<String> attempts() throws IOException {
            try (Stream<Path> all = Files.list(at(views.plain, "attempts"))) {
                return all.map(path -> path.getFileName().toString()).sorted().toList();
            }
        }
    }

    private static void leavesClaimed(Views views) throws Exception {
        try (Fixture fixture = new Fixture(views).plan()) {
            Path seen = fixture.at(views.second, "attempts/0.1.journal");
            assertThat(seen).doesNotExist();
            fixture.hold();
            assertThat(fixture.at(views.plain, "attempts/0.1.journal")).exists();
            requireCached(!Files.exists(seen), "The mount does not cache that a name is missing");

            assertThat(fixture.workOnSecond().batches()).isZero();
            assertThat(fixture.attempts()).containsExactly("0.1.journal");

            fixture.isOpen.countDown();
            assertThat(fixture.working.get().ending()).isEqualTo(WorkResult.Ending.DONE);
            fixture.completesOnSecond();
        }
    }

    private static void leavesLiving(Views views) throws Exception {
        try (Fixture fixture = new Fixture(views).plan()) {
            Path journal = fixture.at(views.plain, "attempts/0.1.journal");
            Path seen = fixture.at(views.second, "attempts/0.1.journal");
            fixture.hold();
            // The worker writes at intervals: repeats until the mount caches the old time.
            Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> {
                Files.setLastModifiedTime(journal, LONG_AGO);
                ServerView.fresh(seen);
                return isOld(seen);
            });
            Awaitility.await().atMost(Duration.ofMinutes(5)).until(() -> !isOld(journal));
            requireCached(isOld(seen), "The mount does not cache attributes");

            assertThat(fixture.workOnSecond().batches()).isZero();
            assertThat(fixture.attempts()).containsExactly("0.1.journal");

            fixture.isOpen.countDown();
            assertThat(fixture.working.get().ending()).isEqualTo(WorkResult.Ending.DONE);
            fixture.completesOnSecond();
        }
    }

    private static boolean isOld(Path file) throws IOException {
        return Files.getLastModifiedTime(file).toMillis() < LONG_AGO.toMillis() + 60_000;
    }

    private static void takenOver(Views views) throws Exception {
        try (Fixture fixture = new Fixture(views).plan()) {
            fixture.hold();
            // Another worker takes over, which is alive too: it is just creating its journal.
            Path other = Files.createFile(fixture.at(views.plain, "attempts/0.2.journal"));
            Files.setLastModifiedTime(other, FileTime.from(Instant.now().plus(Duration.ofDays(1))));
            fixture.awaitBeat();

            fixture.isOpen.countDown();
            Awaitility.await()
                    .atMost(Duration.ofMinutes(5))
                    .until(() -> fixture.working.isDone() || !fixture.notices.isEmpty());
            assertThat(fixture.notices).singleElement().asString().contains("another worker took it over");
            fixture.cancellation.cancel();
            assertThat(fixture.working.get().ending()).isEqualTo(WorkResult.Ending.STOPPED);
            assertThat(fixture.target.resolve("f0")).doesNotExist();
        }
    }

    private static void seesPlan(Views views) throws Exception {
        try (Fixture fixture = new Fixture(views)) {
            for (String name : List.of("plan", "plan/header", "plan/sealed")) {
                assertThat(fixture.at(views.second, name)).doesNotExist();
            }
            fixture.plan();
            requireCached(!Files.exists(fixture.at(views.second, "plan")),
                    "The mount does not cache that a name is missing");
            assertThat(fixture.workOnSecond()).isEqualTo(new WorkResult(WorkResult.Ending.DONE, 1, Map.of(), ""));
            fixture.completesOnSecond();
        }
    }
}
