// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

import org.treehaul.core.copy.options.CopyOptions;
import org.treehaul.core.fs.PrivateFiles;
import org.treehaul.core.fs.linux.ServerView;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.state.StateFile;
import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.directory.TransferException;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.directory.TransferResult;
import org.treehaul.core.transfer.operation.CopySettings;
import org.treehaul.core.transfer.operation.Operation;

/**
 * The data, besides the plan, that a verification keeps about its copy, so that the transfer of the copy may be
 * forgotten.
 *
 * @param id the id of the copy
 * @param finished when it was finished
 * @param places inodes of the directories that contained its tokens
 * @param byServers whether its batches were to be divided by the servers that store the data
 */
public record VerifiedCopy(String id, Instant finished, String places, boolean byServers) {

    private static final String FILE = "verified";
    private static final String ATTEMPTS = "verified-attempts";
    private static final String FINISH = "verified-finish";
    private static final String SEALED = "sealed";
    private static final String LOCALITY = "locality";

    /**
     * Links or copies all required data of a finished copy into the directory of the transfer that verifies it.
     *
     * @param byServers whether the batches of the copy were to be divided by servers
     */
    public static void bring(TransferDirectory copy, TransferDirectory verify, boolean byServers) throws IOException {
        TransferResult result = GenerationResult.of(copy, copy.generations().newest())
                .result()
                .orElseThrow(() -> new TransferException(copy.id() + " has no result"));
        FinishingHistory history = FinishingHistory.read(copy);
        StateFile about = byServers ? StateFile.empty() : StateFile.empty().with(LOCALITY, false);
        about.with("id", copy.id())
                .with("finished", result.time())
                .withEscaped("places", history.phase(FinishingHistory.TOKEN).orElse(""))
                .writeNew(verify.path().resolve(FILE));
        Plan plan = Plan.open(copy.plan());
        if (CopySettings.parse(plan.header().settings()).existing() != CopyOptions.Existing.REPLACE) {
            // Only the journals record which entries were skipped.
            link(copy.attempts(), verify.path().resolve(ATTEMPTS));
        }
        if (plan.totals().filter(totals -> totals.failures() > 0).isPresent() || !history.replaced(plan).isEmpty()) {
            // The journals of finishing record which of these entries were copied by a retry.
            link(copy.finish(), verify.path().resolve(FINISH));
        }
        link(copy.plan(), verify.plan());
    }

    // The files of a plan and the journals of ended attempts never change. The seal comes last.
    private static void link(Path from, Path to) throws IOException {
        List<Path> all;
        try (Stream<Path> walk = Files.walk(from)) {
            all = walk.toList();
        }
        for (boolean isSeal : new boolean[]{false, true}) {
            for (Path path : all) {
                Path target = to.resolve(from.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    if (!isSeal) {
                        PrivateFiles.makeDirectory(target);
                    }
                } else if (String.valueOf(path.getFileName()).equals(SEALED) == isSeal) {
                    link(path, target, true);
                }
            }
        }
    }

    private static void link(Path file, Path target, boolean mayLink) throws IOException {
        try {
            if (mayLink) {
                Files.createLink(target, file);
            } else {
                Files.copy(file, target);
            }
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException e) {
            if (!mayLink) {
                throw e;
            }
            // Some file systems have no hard links.
            link(file, target, false);
        }
    }

    /** Reads which copy a transfer verifies; empty for a transfer that copies. */
    public static Optional<VerifiedCopy> of(TransferDirectory transfer) throws IOException {
        if (!(transfer.operation() instanceof Operation.Verify)) {
            return Optional.empty();
        }
        Path file = transfer.path().resolve(FILE);
        StateFile values = StateFile.find(file)
                .orElseThrow(() -> new TransferException(transfer.id()
                        + " does not say what it verifies, because it was not created completely: forget it, and verify again"));
        try {
            return Optional.of(new VerifiedCopy(values.text("id"), Instant.parse(values.text("finished")),
                    values.text("places"), !values.values().containsKey(LOCALITY)));
        } catch (IllegalArgumentException | DateTimeParseException e) {
            throw new TransferException(file + " is damaged: " + e.getMessage(), e);
        }
    }

    /** Returns the history of the copy's finishing, as far as it concerns entries that could not be planned. */
    public FinishingHistory history(TransferDirectory verify) throws IOException {
        Path journals = verify.path().resolve(FINISH);
        return ServerView.exists(journals) ? FinishingHistory.read(new Attempts(journals, new TransferId(id)), file -> {
        }) : FinishingHistory.none();
    }

    /**
     * Returns which entries of a batch the copy did not write: existing files that it must not replace, and entries in
     * whose place an entry of another kind was copied.
     */
    public IntPredicate leftAlone(TransferDirectory verify, int batch) throws IOException {
        BitSet resolved = history(verify).resolved(batch);
        Path journals = verify.path().resolve(ATTEMPTS);
        if (!ServerView.exists(journals)) {
            return resolved::get;
        }
        Attempts attempts = new Attempts(journals, new TransferId(id));
        BatchOutcome outcome = BatchOutcome.read(attempts, batch, attempts.newest(batch, Map.of()),
                FinishingHistory.none());
        return index -> resolved.get(index) || outcome.isSkipped(index);
    }
}
