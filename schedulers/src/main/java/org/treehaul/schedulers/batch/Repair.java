// SPDX-License-Identifier: Apache-2.0
package org.treehaul.schedulers.batch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

import org.treehaul.core.condition.FileQuery;
import org.treehaul.core.copy.CopyArguments;
import org.treehaul.core.copy.options.Backup;
import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.linux.Linux;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanHeader;
import org.treehaul.core.plan.format.PlannedFollow;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.TransferStatus;
import org.treehaul.core.transfer.Transfers;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.VerifiedCopy;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;
import org.treehaul.core.transfer.request.CopyRequest;
import org.treehaul.core.walk.options.EntryFilter;

/**
 * A copy of the entries of one source that a verification found to differ.
 *
 * @param request the copy
 * @param list the content of its list of paths; empty if it copies its whole source
 */
record Repair(CopyRequest request, Optional<byte[]> list) {

    // Replaced by the place in the directory of the transfer.
    private static final ByteString NO_PLACE_YET = ByteString.of("list");

    /**
     * Returns the repairs of a finished verification, one for each source with differences.
     *
     * @param workers the number of workers to plan for
     * @throws TransferException if the transfer is not a verification, or is not finished
     */
    static List<Repair> of(Transfers transfers, TransferDirectory verification, int workers) throws IOException {
        if (!(verification.operation() instanceof Operation.Verify)) {
            throw new TransferException(verification.id() + " is not a verification");
        }
        TransferStatus.State state = transfers.status(verification).state();
        if (state != TransferStatus.State.COMPLETE && state != TransferStatus.State.PARTIAL) {
            throw new TransferException(verification.id() + " is not finished but "
                    + state.name().toLowerCase(Locale.ROOT) + ": repair when it is finished");
        }
        Plan plan = Plan.open(verification.plan());
        CopyOptions options = options(plan.header());
        DifferingPaths differing = new DifferingPaths(plan);
        transfers.failures(verification, record -> {
            // Nothing can be copied from a source that is gone.
            if (record.failure().kind() != EntryFailure.Kind.VANISHED) {
                differing.add(record.failure());
            }
        });
        Optional<VerifiedCopy> copy = VerifiedCopy.of(verification);
        boolean mayBeKept = CopySettings.parse(plan.header().settings()).existing() != CopyOptions.Existing.REPLACE;
        differing.lookUp(options,
                batch -> mayBeKept && copy.isPresent() ? copy.get().leftAlone(verification, batch) : index -> false,
                mayBeKept);
        if (!CopySettings.parse(plan.header().settings()).where().isAll()) {
            differing.leaveOutContent(Linux.calls(), options);
        }
        boolean byServers = copy.map(VerifiedCopy::byServers).orElse(true);
        List<Repair> repairs = new ArrayList<>();
        for (int root = 0; root < plan.header().roots().size(); root++) {
            if (!differing.isEmpty(root)) {
                repairs.add(of(plan, root, differing, options, workers, byServers));
            }
        }
        return repairs;
    }

    private static Repair of(Plan plan, int root, DifferingPaths differing, CopyOptions options, int workers,
            boolean byServers) {
        PlanHeader header = plan.header();
        PlannedRoot pair = header.roots().get(root);
        boolean isWhole = differing.isWhole(root);
        CopyRequest.Batches batches = CopyRequest.Batches.forWorkers(workers);
        CopyRequest request = new CopyRequest(
                CopyArguments.of(List.of(pair.source(), pair.target())).withNoTargetDirectory(true),
                isWhole ? Optional.empty() : Optional.of(new CopyRequest.ListFile(NO_PLACE_YET, true, true)), options,
                new CopyRequest.Batches(batches.strategy(), batches.limits(), header.chunkBytes(), byServers), workers,
                // The free space is not checked, because most files replace others.
                false, Optional.empty(), ByteString.of("/"), header.umask(), false);
        return new Repair(request, isWhole ? Optional.empty() : Optional.of(list(plan, root, differing)));
    }

    // The repair replaces each entry that differs, even if the copy had to keep existing entries, or if the entry no longer
    // meets the conditions by which it was planned.
    private static CopyOptions options(PlanHeader header) throws TransferException {
        try {
            CopyOptions options = CopySettings.parse(header.settings());
            return options.toBuilder()
                    .filter(CopySettings.filter(header.settings()).orElse(EntryFilter.none()))
                    .where(FileQuery.all())
                    .existing(CopyOptions.Existing.REPLACE)
                    .removeDestination(!options.inPlace())
                    .backup(Backup.none())
                    .build();
        } catch (IllegalArgumentException e) {
            throw new TransferException(header.id() + ": " + e.getMessage(), e);
        }
    }

    private static byte[] list(Plan plan, int root, DifferingPaths differing) {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        for (PlannedFollow link : plan.followed()) {
            if (link.root() == root && differing.leadsToAny(root, link.path())) {
                write(list, link.path(), "//");
            }
        }
        differing.forEach(root, (path, isAlone) -> write(list, path, isAlone ? "/" : ""));
        return list.toByteArray();
    }

    private static void write(ByteArrayOutputStream list, TreePath path, String mark) {
        if (path.isRoot()) {
            list.write('.');
        } else {
            list.writeBytes(path.toBytes());
        }
        list.writeBytes(ByteString.of(mark).toBytes());
        list.write(0);
    }
}
