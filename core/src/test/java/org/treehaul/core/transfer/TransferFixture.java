// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

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
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.PlanWriter;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.testing.TreeAssert;
import org.treehaul.core.testing.TreeListing;
import org.treehaul.core.testing.TreeWriter;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;

/** A source S, its copy T and the state directory of a transfer between them. */
public final class TransferFixture implements AutoCloseable {

    /** A heartbeat every 50 ms; only workers that are really dead, or stopped for a minute, are taken over. */
    public static final Timing CALM = Timing.defaults()
            .withHeartbeat(Duration.ofMillis(50), Duration.ofMinutes(1))
            .withDurable(Duration.ofMillis(50), 1 << 20);

    /** Taken over so soon that a test need not wait. On a busy machine that may happen to live workers too. */
    static final Timing FAST = CALM.withHeartbeat(Duration.ofMillis(50), Duration.ofSeconds(1));

    static final long CHUNK_BYTES = 1 << 20;

    private static final int TRIES = 10;

    private final TestDirectory directory;
    private final Path source;
    private final Path target;
    private final Transfers transfers;
    private Timing timing = CALM;
    private final List<String> failures = Collections.synchronizedList(new ArrayList<>());
    private final List<String> notices = Collections.synchronizedList(new ArrayList<>());

    private TransferFixture(TestDirectory directory) {
        this.directory = directory;
        this.source = directory.directory("S");
        this.target = directory.directory("D").resolve("T");
        try {
            this.transfers = Transfers.in(directory.resolve("state"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static TransferFixture onTmpfs() {
        return new TransferFixture(TestDirectory.onTmpfs());
    }

    public TransferFixture withTiming(Timing other) {
        timing = other;
        return this;
    }

    static TransferFixture onDisk() {
        return new TransferFixture(TestDirectory.make());
    }

    public Path source() {
        return source;
    }

    public Path target() {
        return target;
    }

    public TestDirectory directory() {
        return directory;
    }

    public Transfers transfers() {
        return transfers;
    }

    public List<String> failures() {
        return failures;
    }

    List<String> notices() {
        return notices;
    }

    public TransferFixture with(Consumer<TreeWriter> making) {
        try (TreeWriter writer = TreeWriter.in(Linux.calls(), source)) {
            making.accept(writer);
        }
        return this;
    }

    public static CopyOptions options() {
        return CopyOptions.archive().threads(2).chunkBytes(CHUNK_BYTES).build();
    }

    public TransferDirectory create() {
        return create(new Operation.Copy());
    }

    TransferDirectory create(Operation operation) {
        try {
            return transfers.create(operation, "cp -a S T", timing);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PlanHeader header(TransferDirectory transfer, CopyOptions options) {
        ByteString at = ByteString.of(directory.resolve("D").toString());
        return new PlanHeader(transfer.id().text(), Instant.now(), 022, 0, "here", "test", BatchLimits.batches(0), 1,
                CHUNK_BYTES, true,
                List.of(new PlannedRoot(ByteString.of(source.toString()), ByteString.of(target.toString()))),
                PlanHeader.tokenName(transfer.id().text()), List.of(at), new TreeMap<>(CopySettings.of(options)));
    }

    /** Creates and plans a transfer with this number of batches. */
    public TransferDirectory planned(int batches) {
        return planned(batches, options());
    }

    public TransferDirectory planned(int batches, CopyOptions options) {
        TransferDirectory transfer = create();
        try {
            Files.writeString(token(transfer), transfer.id().text());
            SmallPlan.of(source, batches).write(transfer.plan(), header(transfer, options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return transfer;
    }

    /** Creates a transfer in whose planning this number of entries, {@code gone0} and so on, failed, and no other. */
    public TransferDirectory plannedWithFailures(int count) throws IOException {
        TransferDirectory transfer = create();
        try (PlanWriter writer = PlanWriter.create(transfer.plan(), header(transfer, options()))) {
            for (int i = 0; i < count; i++) {
                writer.addFailure(new PlannedFailure(0,
                        new EntryFailure(EntryFailure.Kind.VANISHED, ByteString.of(source.toString()),
                                TreePath.of(ByteString.of("gone" + i).toBytes()), "statx", Errno.ENOENT)));
            }
            writer.seal();
        }
        return transfer;
    }

    public Path token(TransferDirectory transfer) {
        return directory.resolve("D").resolve(PlanHeader.tokenName(transfer.id().text()));
    }

    public EventListener listener() {
        return event -> {
            switch (event) {
                case Event.Failed e -> failures.add(e.failure().toString());
                case Event.Notice e -> notices.add(e.text());
                case Event.Done e -> {
                }
                case Event.Changed e -> throw new AssertionError(e);
                case Event.Removed e -> throw new AssertionError(e);
                case Event.Ran e -> throw new AssertionError(e);
            }
        };
    }

    public TransferResult run(TransferDirectory transfer, int generation, int workers) throws IOException {
        return TransferRunner.of(Linux.calls(), transfer)
                .withWorkers(workers)
                .run(generation, listener(), new Progress(), new Cancellation());
    }

    public WorkResult work(TransferDirectory transfer, int generation) throws IOException {
        return Worker.of(Linux.calls(), transfer, generation).work(listener(), new Progress(), new Cancellation());
    }

    public TransferResult finish(TransferDirectory transfer, int generation) throws IOException {
        return Finishing.of(Linux.calls(), transfer, generation).finish(listener(), new Progress(), new Cancellation());
    }

    /** Finishes, and repeats that if it was stopped: on a busy machine a short lease lapses for live processes too. */
    TransferResult finishAtLast(TransferDirectory transfer, int generation) throws IOException {
        TransferResult result = finish(transfer, generation);
        for (int i = 0; i < TRIES && result.state() == TransferResult.State.STOPPED; i++) {
            result = finish(transfer, generation);
        }
        return result;
    }

    /** Resumes a transfer here, and repeats that if it was stopped, as above. */
    TransferResult resume(TransferDirectory transfer) throws IOException {
        return resume(transfers, transfer, listener());
    }

    static TransferResult resume(Transfers transfers, TransferDirectory transfer, EventListener listener)
            throws IOException {
        TransferRunner runner = TransferRunner.of(Linux.calls(), transfer).withWorkers(2);
        TransferResult result = runner.run(transfers.resume(transfer), listener, new Progress(), new Cancellation());
        for (int i = 0; i < TRIES && result.state() == TransferResult.State.STOPPED; i++) {
            result = runner.run(transfers.resume(transfer), listener, new Progress(), new Cancellation());
        }
        return result;
    }

    /** Resumes a transfer here, which must complete it. */
    public void completes(TransferDirectory transfer) throws IOException {
        TransferResult result = resume(transfer);
        assertThat(result.state()).as(result + " " + failures + notices).isEqualTo(TransferResult.State.COMPLETE);
        isCopied();
    }

    /** Fails if T is not a copy of S, or if anything is left that the transfer created for itself. */
    public void isCopied() {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target)).isCopyOf(TreeListing.of(Linux.calls(), source));
        hasNothingLeft();
    }

    /** Fails as {@link #isCopied}, but does not compare one aspect. */
    void isCopiedWithout(TreeAssert.Aspect aspect) {
        TreeAssert.assertThat(TreeListing.of(Linux.calls(), target))
                .ignoring(aspect)
                .isCopyOf(TreeListing.of(Linux.calls(), source));
        hasNothingLeft();
    }

    public void hasNothingLeft() {
        assertThat(TreeListing.of(Linux.calls(), directory.resolve("D")).byPath().keySet())
                .noneMatch(path -> path.toString().contains(".treehaul-"));
    }

    /** Makes a file look as if it had been written this long ago. */
    public static void age(Path file, Duration by) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(by)));
    }

    /** Returns the names in a directory. */
    public static List<String> names(Path directory) throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    @Override
    public void close() {
        directory.close();
    }
}
