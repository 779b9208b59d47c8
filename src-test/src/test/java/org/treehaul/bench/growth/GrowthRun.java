// SPDX-License-Identifier: Apache-2.0
package org.treehaul.bench.growth;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.LongAdder;

import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.TreeCopier;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.copy.options.CopyPair;
import org.treehaul.core.copy.outcome.CopyResult;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.Event;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.PlanSummary;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.transfer.CopyPlans;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.finish.Finishing;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.work.WorkResult;
import org.treehaul.core.transfer.work.Worker;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;
import org.treehaul.core.walk.summary.TreeSummary;
import org.treehaul.strategies.Strategies;
import org.treehaul.tuplespace.files.index.IndexOptions;
import org.treehaul.tuplespace.files.index.IndexResult;
import org.treehaul.tuplespace.files.index.Indexer;

/** One step on one number of entries: the program that {@link Growth} measures. */
public final class GrowthRun {

    private static final int JOBS = 8;
    private static final int CHECK_MILLIS = 2;

    private final GrowthPlace place;
    private final Progress progress = new Progress();
    private final LongAdder failures = new LongAdder();
    private final EventListener listener = event -> {
        if (event instanceof Event.Failed failed) {
            failures.increment();
            if (failures.sum() == 1) {
                System.err.println(failed.failure());
            }
        }
    };

    private GrowthRun(GrowthPlace place) {
        this.place = place;
    }

    /**
     * Runs a step; ends with an exception if its result is not the expected one.
     *
     * @param args the step; the directory; the number of entries, of files in a directory, and the seed of the tree;
     *        whether it is real; the most files of a batch
     */
    public static void main(String[] args) throws IOException {
        GeneratedTree tree = new GeneratedTree(Long.parseLong(args[2]), Integer.parseInt(args[3]),
                Long.parseLong(args[4]));
        run(GrowthStep.valueOf(args[0].toUpperCase(Locale.ROOT)),
                new GrowthPlace(Path.of(args[1]), tree, Boolean.parseBoolean(args[5]), Long.parseLong(args[6])));
    }

    /**
     * Runs a step.
     *
     * @throws IllegalStateException if its result is not the expected one
     */
    static void run(GrowthStep step, GrowthPlace place) throws IOException {
        new GrowthRun(place).run(step);
    }

    private void run(GrowthStep step) throws IOException {
        switch (step) {
            case WALK -> walk();
            case COPY -> copy();
            case PLAN -> plan();
            case WORK -> work();
            case RESUME -> resume();
            case FINISH -> finish();
            case VERIFY -> verify();
            case INDEX -> index(place.tree().entries() + 1);
            case UPDATE -> index(0);
            default -> throw new IllegalArgumentException(step + " is a command of treehaul");
        }
        check(0, failures.sum(), "failures");
    }

    private static void check(long expected, long found, String what) {
        if (expected != found) {
            throw new IllegalStateException(found + " " + what + ", not " + expected);
        }
    }

    private static void check(boolean isRight, Object result) {
        if (!isRight) {
            throw new IllegalStateException("unexpected: " + result);
        }
    }

    private ByteString source() {
        return ByteString.of(place.source());
    }

    private CopyLayout layout() {
        return new CopyLayout(List.of(new CopyPair(Root.of(source()), ByteString.of(place.copy()))), List.of(),
                List.of());
    }

    private static CopyOptions options() {
        return CopyOptions.archive().build();
    }

    private void walk() {
        TreeSummary summary = TreeSummary.of(place.calls(false), WalkOptions.defaults().withStatus(true),
                List.of(Root.of(source())), listener, progress, new Cancellation());
        check(place.tree().entries() + 1, summary.totalEntries(), "entries");
    }

    private void copy() {
        CopyResult result = TreeCopier.of(place.calls(false), options())
                .copy(layout().pairs(), listener, progress, new Cancellation());
        check(result.isSuccess(), result);
        check(place.tree().files(), result.counts().files(), "files");
    }

    private Transfers transfers() throws IOException {
        return Transfers.in(place.state());
    }

    // The copy; its verification comes after it.
    private static TransferDirectory transfer(Transfers transfers) throws IOException {
        return transfers.open(transfers.list().getFirst());
    }

    private void plan() throws IOException {
        Transfers transfers = transfers();
        TransferDirectory transfer = transfers.create(new Operation.Copy(), "cp -a source copy", Timing.defaults());
        PlanRequest request = CopyPlans.request(transfer.id().text(), layout(), options(), PlanRequest.CHUNK_BYTES,
                Strategies.sizeBalanced(), new BatchLimits(JOBS * PlanRequest.BATCHES_PER_JOB, place.batchFiles(), 0),
                JOBS);
        PlanSummary summary = Planner.of(place.calls(false), request)
                .plan(transfer.plan(), listener, progress, new Cancellation());
        check(place.tree().files(), summary.totals().entries(), "entries");
        check(place.tree().directories(), summary.totals().directories(), "directories");
        transfers.start(transfer);
    }

    private void work() throws IOException {
        Cancellation stop = new Cancellation();
        Thread watch = Thread.ofPlatform().daemon().start(() -> {
            try {
                while (progress.snapshot().entries() < place.tree().files() / 2) {
                    Thread.sleep(CHECK_MILLIS);
                }
                stop.cancel();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        TransferDirectory transfer = transfer(transfers());
        WorkResult result = Worker.of(place.calls(false), transfer, 1).work(listener, progress, stop);
        watch.interrupt();
        // A small transfer may be complete before the watch has seen that half of it is done.
        check(result.ending() == WorkResult.Ending.STOPPED || result.ending() == WorkResult.Ending.DONE, result);
    }

    private void resume() throws IOException {
        Transfers transfers = transfers();
        TransferDirectory transfer = transfer(transfers);
        work(place.callsOfBegun(), transfer, transfers.resume(transfer));
    }

    private void work(FileSystemCalls calls, TransferDirectory transfer, int generation) throws IOException {
        WorkResult result = Worker.of(calls, transfer, generation).work(listener, progress, new Cancellation());
        check(result.ending() == WorkResult.Ending.DONE, result);
    }

    private void finish() throws IOException {
        TransferDirectory transfer = transfer(transfers());
        finish(place.calls(true), transfer, transfer.generations().newest());
    }

    private void finish(FileSystemCalls calls, TransferDirectory transfer, int generation) throws IOException {
        TransferResult result = Finishing.of(calls, transfer, generation)
                .finish(listener, progress, new Cancellation());
        check(result.state() == TransferResult.State.COMPLETE, result);
        check(place.tree().files(), result.done(), "entries done");
    }

    private void verify() throws IOException {
        Transfers transfers = transfers();
        TransferDirectory verify = transfers.createVerify(transfer(transfers), "verify", Timing.defaults());
        FileSystemCalls calls = place.calls(true);
        int generation = transfers.start(verify);
        work(calls, verify, generation);
        finish(calls, verify, generation);
    }

    private void index(long added) throws IOException {
        IndexResult result = Indexer.of(place.calls(false), IndexOptions.defaults())
                .run(place.space(), List.of(source()), failure -> listener.onEvent(new Event.Failed(failure)), progress,
                        new Cancellation());
        check(result.isComplete(), result);
        check(place.tree().entries() + 1, result.entries(), "entries");
        check(added, result.added() + result.changed() + result.removed(), "entries that differ");
    }
}
