// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.batch;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.treehaul.core.copy.options.UserPath;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.fs.FileAccess;
import org.treehaul.core.fs.FileSystemCalls;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedRoot;
import org.treehaul.core.transfer.directory.StateDirectory;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.operation.Operation;

/**
 * Notices that the copy of a directory is gone although entries in it were copied: a worker or finishing would make it
 * again without these entries. A root that existed during planning contains a token; for any other, a file in the
 * directory of the transfer records that an entry below it was copied. Used by one thread, except {@link #copied}.
 */
public final class CopiedRoots {

    private static final Logger LOG = LoggerFactory.getLogger(CopiedRoots.class);

    private final FileSystemCalls calls;
    private final WorkSettings settings;
    private final TransferDirectory transfer;
    private final Plan plan;
    private final AttemptName own;
    private final Set<ByteString> withToken;
    private final boolean isChecked;
    // The roots below which this attempt has copied an entry. Two threads may both record the first one.
    private final boolean[] copied;
    private boolean isWithoutTokens;

    /** Creates the object of an attempt. */
    CopiedRoots(FileSystemCalls calls, WorkSettings settings, Plan plan, AttemptName own) {
        this.calls = calls;
        this.own = own;
        this.settings = settings;
        this.transfer = settings.directory();
        this.plan = plan;
        this.withToken = Set.copyOf(plan.header().tokenDirectories());
        // The end of a synchronization copies again what is not there.
        this.isChecked = !(transfer.operation() instanceof Operation.Sync);
        this.copied = new boolean[plan.header().roots().size()];
    }

    /** Records that an entry below a root was copied, on any thread. */
    void copied(int root) {
        if (!copied[root]) {
            copied[root] = true;
            if (isChecked) {
                record(root);
            }
        }
    }

    private void record(int root) {
        try {
            PrivateFiles.makeFile(mark(transfer, root));
        } catch (FileAlreadyExistsException e) {
            // Another attempt was first.
        } catch (IOException e) {
            LOG.warn("cannot record that entries below root {} are copied: {}", root, StateDirectory.reason(e));
        }
    }

    private static Path mark(TransferDirectory transfer, int root) {
        return transfer.progress().resolve("root-" + root);
    }

    /**
     * Checks roots before entries below them are copied.
     *
     * @throws IOException if the copy of one is gone, or its file system is not mounted any more
     */
    void check(BitSet roots) throws IOException {
        if (!isChecked) {
            return;
        }
        boolean isDoubtful = false;
        try (FileAccess access = FileAccess.open(calls)) {
            for (int root = roots.nextSetBit(0); root >= 0; root = roots.nextSetBit(root + 1)) {
                ByteString target = plan.header().roots().get(root).target();
                if (withToken.contains(target)) {
                    isDoubtful |= !isWithoutTokens && RootCheck.isAbsent(access, token(target));
                } else if (isAbsent(access, target) && (copied[root] || ServerView.exists(mark(transfer, root)))
                        && isAbsent(access, target)) {
                    if (copied[root] || hasOthers()) {
                        throw gone(transfer, target);
                    }
                    // A crash may have undone what was not on disk.
                    require(calls, transfer, plan, FinishingHistory.read(transfer));
                }
            }
        }
        if (isDoubtful) {
            // Finishing of an earlier generation may have removed the tokens.
            try (MountCheck check = MountCheck.of(calls, plan, settings, FinishingHistory.read(transfer))) {
                check.checkTargets();
            }
            isWithoutTokens = true;
        }
    }

    // Others will record as durable what they have copied.
    private boolean hasOthers() throws IOException {
        Attempts attempts = Attempts.atBatches(transfer);
        int generation = transfer.generations().newest();
        for (Map.Entry<Integer, Integer> newest : attempts.newest().entrySet()) {
            AttemptName name = new AttemptName(newest.getKey(), newest.getValue());
            if (!name.equals(own) && attempts.end(name).isEmpty()
                    && attempts.header(name).filter(header -> header.generation() == generation).isPresent()) {
                return true;
            }
        }
        return false;
    }

    private ByteString token(ByteString directory) {
        return TreePath.of(plan.header().token().getBytes(US_ASCII)).below(directory);
    }

    private static boolean isAbsent(FileAccess access, ByteString target) {
        return RootCheck.isAbsent(access, UserPath.stripSlashes(target));
    }

    private static TransferException gone(TransferDirectory transfer, ByteString target) {
        return new TransferException(
                target + " is gone, although entries in it were copied: put it back and resume, or "
                        + "'treehaul forget --force " + transfer.id() + "' and copy again");
    }

    /**
     * Checks, according to the journals, that the copies of all roots below which an entry was copied still exist.
     *
     * @throws TransferException if the copy of one is gone
     */
    public static void require(FileSystemCalls calls, TransferDirectory transfer, Plan plan, FinishingHistory history)
            throws IOException {
        // The end of a synchronization copies again what is not there, and the removal of the sources of a move looks for
        // each copy.
        boolean isNeeded = switch (transfer.operation()) {
            case Operation.Copy _ -> true;
            case Operation.Move _ -> history.phase(FinishingHistory.REMOVAL).isEmpty();
            default -> false;
        };
        BitSet absent = isNeeded ? absent(calls, plan) : new BitSet();
        if (absent.isEmpty()) {
            return;
        }
        Attempts attempts = Attempts.atBatches(transfer);
        for (Map.Entry<Integer, Integer> newest : attempts.newest().entrySet()) {
            BatchOutcome outcome = BatchOutcome.read(attempts, newest.getKey(), newest.getValue(), history);
            if (outcome.tally().done() > 0) {
                require(transfer, plan, newest.getKey(), outcome, absent);
            }
        }
        for (int root = absent.nextSetBit(0); root >= 0; root = absent.nextSetBit(root + 1)) {
            // The worker that made the mark was killed before its work was on disk.
            Files.deleteIfExists(mark(transfer, root));
        }
    }

    private static BitSet absent(FileSystemCalls calls, Plan plan) {
        List<PlannedRoot> roots = plan.header().roots();
        BitSet absent = new BitSet();
        try (FileAccess access = FileAccess.open(calls)) {
            for (int root = 0; root < roots.size(); root++) {
                absent.set(root, isAbsent(access, roots.get(root).target()));
            }
        }
        return absent;
    }

    private static void require(TransferDirectory transfer, Plan plan, int batch, BatchOutcome outcome, BitSet absent)
            throws IOException {
        try (PlanRecords<ManifestEntry> manifest = plan.manifest(batch)) {
            for (ManifestEntry entry = manifest.next(); entry != null; entry = manifest.next()) {
                if (absent.get(entry.root()) && !entry.path().isRoot() && outcome.isDone(entry.index())) {
                    throw gone(transfer, plan.header().roots().get(entry.root()).target());
                }
            }
        }
    }
}
