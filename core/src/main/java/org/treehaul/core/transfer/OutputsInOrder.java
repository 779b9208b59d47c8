// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import org.treehaul.core.annotation.Internal;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.spool.ExternalSort;
import org.treehaul.core.plan.spool.ScratchDirectory;
import org.treehaul.core.plan.spool.SpoolKey;
import org.treehaul.core.task.CommandTask;
import org.treehaul.core.task.OutputFiles;
import org.treehaul.core.transfer.batch.CommandWork;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * The files with the outputs of the commands of a transfer, in the order of its entries. The entries are in the order
 * of their batches in the plan, so they are sorted on disk.
 */
@Internal
public final class OutputsInOrder {

    private static final int PLACE_BYTES = 2 * Integer.BYTES;

    /** Receives outputs. */
    @FunctionalInterface
    public interface Receiver {

        /**
         * Receives the outputs of an entry or a segment.
         *
         * @param path the path of the entry
         * @param out the path of the file with its standard output, which may not exist
         * @param err the path of the file with its standard error, which may not exist
         */
        void output(ByteString path, ByteString out, ByteString err) throws IOException;
    }

    private OutputsInOrder() {}

    /**
     * Passes on the outputs of each entry of a plan whose task takes single entries.
     *
     * @param task the task of the transfer
     * @throws IOException if the plan cannot be read, or the receiver throws it
     */
    public static void each(TransferDirectory transfer, CommandTask task, Receiver receiver) throws IOException {
        Plan plan = Plan.open(transfer.plan());
        ByteString directory = CommandWork.outputs(task, transfer).plus(ByteString.of("/"));
        try (ScratchDirectory scratch = ScratchDirectory.open("treehaul-outputs-");
                ExternalSort sort = new ExternalSort(scratch.path(), "outputs", false,
                        ExternalSort.defaultRunBytes())) {
            for (PlannedBatch batch : plan.batches()) {
                add(plan, batch.number(), sort);
            }
            try (ExternalSort.Records records = sort.open()) {
                while (records.advance()) {
                    ByteBuffer content = ByteBuffer.wrap(records.content());
                    String label = OutputFiles.label(content.getInt(), content.getInt());
                    ByteString root = plan.header().roots().get(ByteBuffer.wrap(records.key()).getInt()).source();
                    ByteString path = TreePath.of(Arrays.copyOfRange(content.array(), PLACE_BYTES, content.limit()))
                            .below(root);
                    receiver.output(path, directory.plus(OutputFiles.out(label, path)),
                            directory.plus(OutputFiles.err(label, path)));
                }
            }
        }
    }

    private static void add(Plan plan, int batch, ExternalSort sort) throws IOException {
        try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch)) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                TreePath path = entry.path();
                byte[] key = path.isRoot()
                        ? SpoolKey.of(entry.root(), new byte[0], new byte[0])
                        : SpoolKey.of(entry.root(), path.parent().toBytes(), path.nameBytes());
                int segment = entry.chunk() == null ? 0 : entry.chunk().number();
                byte[] bytes = path.toBytes();
                sort.add(ByteBuffer.allocate(key.length + Integer.BYTES).put(key).putInt(segment).array(),
                        ByteBuffer.allocate(PLACE_BYTES + bytes.length)
                                .putInt(batch)
                                .putInt(entry.index())
                                .put(bytes)
                                .array());
            }
        }
    }
}
