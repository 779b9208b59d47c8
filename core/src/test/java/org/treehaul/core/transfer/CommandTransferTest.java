// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanException;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.CommandTemplate;
import org.treehaul.core.task.Segmentation;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.core.walk.options.WalkOptions;

/** Transfers that run a command for each entry: each runs once, what failed is resumed, and outputs are kept. */
class CommandTransferTest {

    private static final int FILES = 24;
    private static final int MIB = 1 << 20;
    private static final Duration LONG = Duration.ofMinutes(10);

    private final TestDirectory directory = TestDirectory.onTmpfs();
    private final Path tree = directory.directory("tree");
    private Timing timing = TransferFixture.CALM;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.add(failed.failure().toString());
        }
    };

    @BeforeEach
    void makeTree() throws IOException {
        for (int i = 0; i < FILES; i++) {
            Path file = tree.resolve("d" + i % 3 + "/f" + i);
            Files.createDirectories(file.getParent());
            Files.writeString(file, "data");
        }
    }

    @AfterEach
    void close() {
        directory.close();
    }

    private Transfers transfers() throws IOException {
        return Transfers.in(directory.resolve("state"));
    }

    private TransferDirectory plan(boolean isOnce, String... words) throws IOException {
        return plan(isOnce, Segmentation.NONE, words);
    }

    private TransferDirectory plan(boolean isOnce, Segmentation segments, String... words) throws IOException {
        return plan("kind=regular", isOnce, segments, words);
    }

    private TransferDirectory plan(String where, boolean isOnce, Segmentation segments, String... words)
            throws IOException {
        CommandTask task = new CommandTask(new CommandTemplate(Stream.of(words).map(ByteString::of).toList()),
                ByteString.of(directory.path().toString()), Duration.ZERO, 0, isOnce, Optional.empty(), segments);
        return WalkedPlans.onEntries(transfers(), new Operation.Run(task), tree,
                WalkOptions.defaults().withThreads(2).withWhere(FileQuery.parse(List.of(ByteString.of(where)))), 3,
                listener, timing);
    }

    private TransferDirectory shell(boolean isOnce, String script) throws IOException {
        return plan(isOnce, "sh", "-c", script, "sh", "{}");
    }

    private TransferResult run(TransferDirectory transfer, Cancellation cancellation) throws IOException {
        return run(transfer, 2, cancellation);
    }

    private TransferResult run(TransferDirectory transfer, int workers, Cancellation cancellation) throws IOException {
        int generation = transfer.generations().newest() == 0
                ? transfers().start(transfer)
                : transfers().resume(transfer);
        return TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(workers)
                .run(generation, listener, new Progress(), cancellation);
    }

    private List<String> ran() throws IOException {
        return Files.readAllLines(directory.resolve("ran"));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> walk = Files.walk(tree)) {
            return walk.filter(Files::isRegularFile).map(Path::toString).toList();
        }
    }

    @Test
    void aCommandMayBeAsLongAsTheSystemAllows() throws IOException {
        // Each escaped byte takes four characters.
        String longest = "\u0001".repeat(120_000);
        TransferDirectory transfer = plan(false, "true", longest, longest, longest, longest, "{}");
        TransferDirectory opened = transfers().open(transfer.id());
        assertThat(opened.operation()).isEqualTo(transfer.operation());
    }

    @Test
    void theCommandRunsOnceForEachFile() throws Exception {
        TransferResult result = run(shell(false, "echo \"$1\" >> ran"), new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(result.done()).isEqualTo(FILES);
        assertThat(ran()).containsExactlyInAnyOrderElementsOf(files());
    }

    @Test
    void oneLongCommandDoesNotDelayTheNextBatches() throws Exception {
        // It ends when all others have ended, of three batches, or fails after ten minutes.
        TransferDirectory transfer = shell(false, "case $1 in */f0) i=0; until [ $(cat ran | wc -l) = " + (FILES - 1)
                + " ]; do i=$((i+1)); [ $i -lt 30000 ] || exit 1; sleep 0.02; done;; esac; echo \"$1\" >> ran");
        TransferResult result = run(transfer, 1, new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).containsExactlyInAnyOrderElementsOf(files()).endsWith(tree + "/d0/f0");
    }

    @Test
    void aStateDirectoryThatFailsForAMomentEndsNoCommandThatRuns() throws Exception {
        timing = timing.withHeartbeat(Duration.ofMillis(50), Duration.ofHours(1));
        TransferDirectory transfer = shell(false,
                "case $1 in */f0) d=$(echo state/transfers/*); mv $d/generations away; until [ -e go ]; do sleep 1; done; "
                        + "mv away $d/generations;; esac; echo \"$1\" >> ran");
        CompletableFuture<WorkResult> end = workUntilItWaits(transfer);
        Files.createFile(directory.resolve("go"));
        assertThatThrownBy(end::get).hasCauseInstanceOf(NoSuchFileException.class);
        assertThat(ran()).contains(tree + "/d0/f0");
        assertThat(run(transfer, new Cancellation()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).containsExactlyInAnyOrderElementsOf(files());
    }

    // Returns the work of a worker that has failed, and waits for its commands.
    private CompletableFuture<WorkResult> workUntilItWaits(TransferDirectory transfer) throws IOException {
        int generation = transfers().start(transfer);
        CompletableFuture<WorkResult> end = new CompletableFuture<>();
        Thread worker = Thread.ofPlatform().start(() -> {
            try {
                end.complete(Worker.of(Linux.calls(), transfer, generation)
                        .work(listener, new Progress(), new Cancellation()));
            } catch (IOException e) {
                end.completeExceptionally(e);
            }
        });
        Awaitility.await()
                .atMost(LONG)
                .until(() -> end.isDone() || Stream.of(worker.getStackTrace())
                        .anyMatch(call -> call.toString().contains("OpenAttempts.rest(")));
        return end;
    }

    @Test
    void aPlanThatCannotBeReadAgainForAMomentWhileItGrowsEndsNoCommandThatRuns() throws Exception {
        TransferDirectory transfer = shell(false,
                "case $1 in */f0) p=$(echo state/transfers/*/plan); until [ $(cat ran | wc -l) = " + (FILES - 1)
                        + " ]; do sleep 0.02; done; mv $p/header away; until [ -e go ]; do sleep 1; done; "
                        + "mv away $p/header;; esac; echo \"$1\" >> ran");
        Path sealed = transfer.plan().resolve("sealed");
        Files.move(sealed, directory.resolve("seal"));
        Files.createFile(Plan.heartbeat(transfer.plan()));
        CompletableFuture<WorkResult> end = workUntilItWaits(transfer);
        Files.createFile(directory.resolve("go"));
        assertThatThrownBy(end::get).hasCauseInstanceOf(PlanException.class);
        assertThat(ran()).containsExactlyInAnyOrderElementsOf(files());
        Files.move(directory.resolve("seal"), sealed);
        assertThat(run(transfer, new Cancellation()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).hasSize(FILES);
    }

    @Test
    void resumeRepeatsWhatFailedOnly() throws Exception {
        TransferDirectory transfer = shell(false,
                "echo \"$1\" >> ran; case $1 in *7) [ -e fixed ] || { echo why >&2; exit 9; };; esac");
        TransferResult first = run(transfer, new Cancellation());
        assertThat(first.state()).isEqualTo(TransferResult.State.PARTIAL);
        assertThat(first.failed()).isEqualTo(2);
        assertThat(failures).hasSize(2).allMatch(text -> text.endsWith("7: the command ended with 9"));
        Files.createFile(directory.resolve("fixed"));
        Files.delete(directory.resolve("ran"));
        assertThat(run(transfer, new Cancellation()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).hasSize(2).allMatch(path -> path.endsWith("7"));
    }

    @Test
    void theOutputsOfEachCommandAreKeptInTheStateDirectory() throws Exception {
        TransferDirectory transfer = shell(false, "echo \"out of $1\"; case $1 in *f5) echo err >&2;; esac");
        run(transfer, new Cancellation());
        List<String> texts = new ArrayList<>();
        List<String> errors = new ArrayList<>();
        try (Stream<Path> all = Files.list(transfer.path().resolve("outputs"))) {
            for (Path file : all.toList()) {
                (file.toString().endsWith(".err") ? errors : texts).add(Files.readString(file).trim());
            }
        }
        assertThat(texts).containsExactlyInAnyOrderElementsOf(files().stream().map(path -> "out of " + path).toList());
        assertThat(errors).containsExactly("err");
    }

    @Test
    void aListHasTheFilesOfABatch() throws Exception {
        TransferResult result = run(
                plan(false, "sh", "-c", "tr '\\0' '\\n' < \"$1\" >> ran; echo x >> lists", "sh", "{@}"),
                new Cancellation());
        assertThat(result.state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(new TreeSet<>(ran())).isEqualTo(new TreeSet<>(files()));
        assertThat(Files.readAllLines(directory.resolve("lists"))).hasSize(3);
    }

    private static void resize(Path file, long size) throws IOException {
        try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
            out.setLength(size);
        }
    }

    @Test
    void theCommandRunsForEachSegmentOfALargeFileAndResumeRepeatsTheOnesThatFailed() throws Exception {
        resize(tree.resolve("d0/f0"), 2 * MIB + 5);
        Files.createLink(tree.resolve("d1/again"), tree.resolve("d0/f0"));
        TransferDirectory transfer = plan(false, Segmentation.ofBytes(MIB), "sh", "-c",
                "echo \"$1 $2 $3\" >> ran; [ -e fixed ] || case $1 in */f0) [ $3 != 1 ];; esac", "sh", "{}",
                "{offset}+{length}", "{segment}");
        TransferResult first = run(transfer, new Cancellation());
        assertThat(first.entries()).isEqualTo(FILES - 1 + 2 * 3);
        assertThat(first.failed()).isEqualTo(1);
        assertThat(failures).singleElement()
                .asString()
                .endsWith("d0/f0: segment 1 from byte 1048576: the command ended with 1");
        assertThat(ran()).hasSize(FILES - 1 + 2 * 3)
                .contains(tree + "/d0/f0 0+1048576 0", tree + "/d0/f0 2097152+5 2",
                        tree + "/d1/again 1048576+1048576 1", tree + "/d1/f1 0+4 0");
        Files.delete(directory.resolve("ran"));
        Files.createFile(directory.resolve("fixed"));
        assertThat(run(transfer, new Cancellation()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).containsExactly(tree + "/d0/f0 1048576+1048576 1");
    }

    @Test
    void theSegmentsOfAFileThatHasGrownAreReported() throws Exception {
        resize(tree.resolve("d0/f0"), 2 * MIB);
        TransferDirectory transfer = plan(false, Segmentation.ofBytes(MIB), "echo", "{offset}");
        resize(tree.resolve("d0/f0"), 3 * MIB);
        // Planned as one segment, of four bytes.
        resize(tree.resolve("d1/f1"), 2 * MIB);
        assertThat(run(transfer, new Cancellation()).failed()).isEqualTo(3);
        assertThat(failures).hasSize(3).allMatch(text -> text.contains("compare with the plan"));
    }

    @Test
    void aFileThatIsGoneIsReportedAsVanished() throws Exception {
        TransferDirectory transfer = shell(false, "echo \"$1\" >> ran");
        Files.delete(tree.resolve("d0/f0"));
        TransferResult result = run(transfer, new Cancellation());
        assertThat(result.failed()).isEqualTo(1);
        assertThat(failures).singleElement().asString().contains("d0/f0: vanished");
        assertThat(ran()).hasSize(FILES - 1);
    }

    private void stopAfterTheFirstBegins(TransferDirectory transfer) throws Exception {
        Cancellation cancellation = new Cancellation();
        Thread stopper = Thread.ofPlatform().start(() -> {
            Awaitility.await().atMost(LONG).until(() -> Files.exists(directory.resolve("begun")));
            cancellation.cancel();
        });
        assertThat(run(transfer, cancellation).state()).isNotEqualTo(TransferResult.State.COMPLETE);
        stopper.join();
    }

    @Test
    void commandsThatWereStoppedRunAgainWhenResumed() throws Exception {
        TransferDirectory transfer = shell(false,
                "[ -e go ] || { echo > begun; exec sleep 1000; }; echo \"$1\" >> ran");
        stopAfterTheFirstBegins(transfer);
        Files.createFile(directory.resolve("go"));
        assertThat(run(transfer, new Cancellation()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(new TreeSet<>(ran())).isEqualTo(new TreeSet<>(files()));
    }

    @Test
    void theCommandOfADirectoryIsEndedToo() throws Exception {
        TransferDirectory transfer = plan("kind=directory", false, Segmentation.NONE, "sh", "-c",
                "[ -e go ] || { echo > begun; exec sleep 1000; }; echo \"$1\" >> ran", "sh", "{}");
        stopAfterTheFirstBegins(transfer);
        assertThat(failures).isEmpty();
        Files.createFile(directory.resolve("go"));
        assertThat(run(transfer, new Cancellation()).state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).hasSize(4).endsWith(tree.toString());
    }

    @Test
    void commandsThatMustRunOnceAreNotRepeatedButReported() throws Exception {
        TransferDirectory transfer = shell(true,
                "echo \"$1\" >> started; [ -e go ] || { echo > begun; exec sleep 1000; }");
        stopAfterTheFirstBegins(transfer);
        Files.createFile(directory.resolve("go"));
        for (int i = 0; i < 2; i++) {
            failures.clear();
            TransferResult result = run(transfer, new Cancellation());
            assertThat(result.state()).isEqualTo(TransferResult.State.PARTIAL);
            assertThat(failures).isNotEmpty().allMatch(text -> text.endsWith("it is not repeated"));
            assertThat(result.failed()).isEqualTo(failures.size());
        }
        List<String> started = Files.readAllLines(directory.resolve("started"));
        assertThat(started).doesNotHaveDuplicates();
        // A command may have been ended before it could write.
        assertThat(files()).allMatch(file -> started.contains(file)
                || failures.stream().anyMatch(text -> text.startsWith(file + ": the command began")));
    }

    @Test
    void aWorkerWhoseTransferWasResumedEndsItsCommands() throws Exception {
        TransferDirectory transfer = shell(false,
                "[ -e go ] || { echo > begun; exec sleep 1000; }; echo \"$1\" >> ran");
        CompletableFuture<TransferResult> late = CompletableFuture.supplyAsync(() -> {
            try {
                return run(transfer, new Cancellation());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        Awaitility.await().atMost(LONG).until(() -> Files.exists(directory.resolve("begun")));
        int newer = transfers().resume(transfer);
        assertThat(late.get().state()).isNotEqualTo(TransferResult.State.COMPLETE);
        assertThat(directory.resolve("ran")).doesNotExist();
        Files.createFile(directory.resolve("go"));
        assertThat(TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(2)
                .run(newer, listener, new Progress(), new Cancellation())
                .state()).isEqualTo(TransferResult.State.COMPLETE);
        assertThat(ran()).containsExactlyInAnyOrderElementsOf(files());
    }
}
