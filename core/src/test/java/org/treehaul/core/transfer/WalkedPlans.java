// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.CopyLayout;
import org.treehaul.core.copy.CopyRefusedException;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.event.Cancellation;
import org.treehaul.core.event.EventListener;
import org.treehaul.core.event.Progress;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.Batchings;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.transfer.batch.EntryPlans;
import org.treehaul.core.transfer.directory.Timing;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.walk.options.Root;
import org.treehaul.core.walk.options.WalkOptions;

/** Plans as commands create them: operands are placed, sources walked. */
public final class WalkedPlans {

    private WalkedPlans() {}

    public static CopyArguments arguments(Object... operands) {
        List<ByteString> paths = new ArrayList<>();
        for (Object operand : operands) {
            paths.add(ByteString.of(operand.toString()));
        }
        return CopyArguments.of(paths);
    }

    /** Creates a transfer and plans it. */
    public static TransferDirectory plan(TransferFixture fixture, CopyArguments arguments, CopyOptions options)
            throws IOException {
        return plan(fixture, arguments, options, Linux.calls(), false);
    }

    public static TransferDirectory plan(TransferFixture fixture, CopyArguments arguments, CopyOptions options,
            FileSystemCalls calls, boolean isStreamed) throws IOException {
        TransferDirectory transfer = fixture.create();
        plan(transfer.plan(), request(transfer.id().text(), arguments, options, isStreamed), calls);
        return transfer;
    }

    /** Creates a transfer that moves S to T, and plans it. */
    static TransferDirectory move(TransferFixture fixture, CopyOptions options) throws IOException {
        return move(fixture, arguments(fixture.source(), fixture.target()), options);
    }

    static TransferDirectory move(TransferFixture fixture, CopyArguments arguments, CopyOptions options)
            throws IOException {
        return move(fixture, arguments, options, Linux.calls());
    }

    static TransferDirectory move(TransferFixture fixture, CopyArguments arguments, CopyOptions options,
            FileSystemCalls calls) throws IOException {
        TransferDirectory transfer = fixture.create(new Operation.Move());
        CopyOptions adapted = options.toBuilder().takesNames(true).verify(CopyOptions.Verify.XXH3).build();
        plan(transfer.plan(), request(transfer.id().text(), arguments, adapted, false).withIdentities(true), calls);
        return transfer;
    }

    /** Creates a transfer that removes a tree, and plans it. */
    static TransferDirectory removal(Transfers transfers, Path tree, int threads, int batches, EventListener listener)
            throws IOException {
        return onEntries(transfers, new Operation.Remove(), tree, threads, batches, listener);
    }

    /** Creates a transfer that performs an operation on the entries of a tree, and plans it. */
    static TransferDirectory onEntries(Transfers transfers, Operation.OnEntries operation, Path tree, int threads,
            int batches, EventListener listener) throws IOException {
        return onEntries(transfers, operation, tree, threads, batches, listener, Timing.defaults());
    }

    static TransferDirectory onEntries(Transfers transfers, Operation.OnEntries operation, Path tree, int threads,
            int batches, EventListener listener, Timing timing) throws IOException {
        return onEntries(transfers, operation, tree, WalkOptions.defaults().withThreads(threads), batches, listener,
                timing);
    }

    static TransferDirectory onEntries(Transfers transfers, Operation.OnEntries operation, Path tree, WalkOptions walk,
            int batches, EventListener listener, Timing timing) throws IOException {
        TransferDirectory transfer = transfers.create(operation, operation.name() + " tree", timing);
        Planner.of(Linux.calls(),
                EntryPlans.request(Linux.calls(), transfer.id().text(), operation,
                        List.of(Root.of(ByteString.of(tree.toString()))), walk, Batchings.DEALT,
                        BatchLimits.batches(batches), 1))
                .plan(transfer.plan(), listener, new Progress(), new Cancellation());
        return transfer;
    }

    public static PlanRequest request(String id, CopyArguments arguments, CopyOptions options, boolean isStreamed) {
        try {
            return request(id, CopyLayout.of(Linux.calls(), arguments, options), options, isStreamed);
        } catch (CopyRefusedException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public static PlanRequest request(String id, CopyLayout layout, CopyOptions options, boolean isStreamed) {
        return CopyPlans.request(id, layout, layout.adapt(options), TransferFixture.CHUNK_BYTES,
                isStreamed ? Batchings.STREAMED : Batchings.DEALT,
                isStreamed ? new BatchLimits(0, 3, 0) : BatchLimits.batches(4), 1);
    }

    public static void plan(Path directory, PlanRequest request, FileSystemCalls calls) throws IOException {
        Planner.of(calls, request).plan(directory, EventListener.none(), new Progress(), new Cancellation());
    }
}
