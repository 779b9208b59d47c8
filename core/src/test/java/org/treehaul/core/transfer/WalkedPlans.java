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
import org.treehaul.core.plan.BatchAssignment;
import org.treehaul.core.plan.Batching;
import org.treehaul.core.plan.Items;
import org.treehaul.core.plan.PlanRequest;
import org.treehaul.core.plan.Planner;
import org.treehaul.core.plan.format.BatchLimits;
import org.treehaul.core.transfer.directory.TransferDirectory;

/** Plans as commands create them: operands are placed, sources walked. */
public final class WalkedPlans {

    /** Deals the entries out one by one. */
    private static final Batching DEALT = new Batching() {
        @Override
        public String name() {
            return "dealt";
        }

        @Override
        public int assign(Items items, BatchLimits limits, BatchAssignment out) {
            int batches = (int) Math.min(items.count(), 4);
            for (long item = 0; item < items.count(); item++) {
                out.set(item, (int) (item % batches));
            }
            return batches;
        }
    };

    private static final Batching STREAMED = new Batching() {
        @Override
        public String name() {
            return "streamed";
        }

        @Override
        public boolean isStreaming() {
            return true;
        }

        @Override
        public int assign(Items items, BatchLimits limits, BatchAssignment out) {
            throw new IllegalStateException("it streams");
        }
    };

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

    public static PlanRequest request(String id, CopyArguments arguments, CopyOptions options, boolean isStreamed) {
        try {
            return request(id, CopyLayout.of(Linux.calls(), arguments, options), options, isStreamed);
        } catch (CopyRefusedException e) {
            throw new IllegalArgumentException(e);
        }
    }

    public static PlanRequest request(String id, CopyLayout layout, CopyOptions options, boolean isStreamed) {
        return CopyPlans.request(id, layout, layout.adapt(options), TransferFixture.CHUNK_BYTES,
                isStreamed ? STREAMED : DEALT, isStreamed ? new BatchLimits(0, 3, 0) : BatchLimits.batches(4), 1);
    }

    public static void plan(Path directory, PlanRequest request, FileSystemCalls calls) throws IOException {
        Planner.of(calls, request).plan(directory, EventListener.none(), new Progress(), new Cancellation());
    }
}
