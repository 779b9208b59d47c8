// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.operation.FailedPlaces;
import org.treehaul.core.plan.format.ManifestEntry;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlanTotals;
import org.treehaul.core.plan.format.PlannedBatch;
import org.treehaul.core.plan.format.PlannedFile;
import org.treehaul.core.threads.ParallelLoop;
import org.treehaul.core.transfer.batch.EntryGroups;
import org.treehaul.core.transfer.directory.TransferDirectory;
import org.treehaul.core.transfer.journal.Attempts;
import org.treehaul.core.transfer.journal.BatchOutcome;
import org.treehaul.core.transfer.journal.FinishingHistory;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.RootedPath;

/**
 * The files of a move whose names are all copied, according to the plan and the journals. Memory: a byte for each entry
 * of one batch, and about 300 bytes for each file in chunks. Used by one thread at a time.
 */
final class MovedFiles {

    private final TransferDirectory directory;
    private final Plan plan;
    private final FinishingHistory history;
    private final FailedPlaces kept;
    private final Set<RootedPath> wholeFiles = new HashSet<>();
    private final Map<RootedPath, JournalRecord.Chunk> firstChunks = new HashMap<>();
    private final Set<RootedPath> skippedFiles = new HashSet<>();
    private boolean hasGroups;

    /**
     * Reads the journals of finishing.
     *
     * @param kept gets the directories of names that stay at the source
     */
    MovedFiles(TransferDirectory directory, Plan plan, FailedPlaces kept) throws IOException {
        this.directory = directory;
        this.plan = plan;
        this.kept = kept;
        this.history = FinishingHistory.read(Attempts.atFinishing(directory),
                file -> wholeFiles.add(new RootedPath(file.root(), TreePath.of(file.path().toBytes()))));
    }

    /** Opens the files with one name. */
    Reader singles() throws IOException {
        return new Reader(false);
    }

    /** Opens the files with several names, and those in chunks; {@link #singles} must have been read to its end. */
    Reader groups() throws IOException {
        return new Reader(true);
    }

    /** Reads files. */
    final class Reader implements ParallelLoop.Source<MovedFile>, Closeable {

        private final boolean isOfGroups;
        private final Attempts attempts = Attempts.atBatches(directory);
        private final Map<Integer, Integer> newest = attempts.newest();
        private final Iterator<PlannedBatch> batches;
        private @Nullable EntryGroups entries;
        private @Nullable BatchOutcome outcome;
        private @Nullable PlanRecords<PlannedFile> largeFiles;

        private Reader(boolean isOfGroups) throws IOException {
            this.isOfGroups = isOfGroups;
            this.batches = !isOfGroups || hasGroups ? plan.batches().iterator() : Collections.emptyIterator();
            if (isOfGroups && plan.totals().map(PlanTotals::chunked).orElse(0L) > 0) {
                largeFiles = plan.chunked();
            }
        }

        @Override
        public @Nullable MovedFile next() throws IOException {
            while (entries != null || batches.hasNext()) {
                EntryGroups open = entries == null ? open(batches.next().number()) : entries;
                while (open.hasNext()) {
                    MovedFile file = take(open.next());
                    if (file != null) {
                        return file;
                    }
                }
                open.close();
                entries = null;
            }
            return largeFiles == null ? null : next(largeFiles);
        }

        private EntryGroups open(int batch) throws IOException {
            outcome = BatchOutcome.read(attempts, batch, newest.getOrDefault(batch, 0), history);
            EntryGroups open = EntryGroups.open(plan, batch, entry -> entry.chunk() == null);
            entries = open;
            return open;
        }

        private @Nullable MovedFile take(List<ManifestEntry> names) {
            ManifestEntry first = names.getFirst();
            if (first.chunk() != null) {
                takeChunk(first, first.chunk().number());
                return null;
            }
            boolean isGroup = names.size() > 1;
            hasGroups |= isGroup;
            if (isGroup != isOfGroups) {
                return null;
            }
            if (names.stream().allMatch(entry -> isCopied(entry.index()))) {
                return MovedFile.of(names);
            }
            names.forEach(entry -> keep(new RootedPath(entry.root(), entry.path())));
            return null;
        }

        private boolean isCopied(int index) {
            return outcome != null && outcome.isDone(index) && !outcome.isSkipped(index) && !outcome.isReplaced(index);
        }

        private void takeChunk(ManifestEntry entry, int number) {
            RootedPath place = new RootedPath(entry.root(), entry.path());
            if (outcome == null || outcome.isSkipped(entry.index())) {
                skippedFiles.add(place);
            } else if (number == 0) {
                outcome.chunk(entry.index()).ifPresent(chunk -> firstChunks.put(place, chunk));
            }
        }

        private @Nullable MovedFile next(PlanRecords<PlannedFile> files) throws IOException {
            for (PlannedFile file = files.next(); file != null; file = files.next()) {
                RootedPath place = new RootedPath(file.root(), file.path());
                List<RootedPath> names = new ArrayList<>(List.of(place));
                file.links().forEach(link -> names.add(new RootedPath(link.root(), link.path())));
                JournalRecord.Chunk chunk = firstChunks.get(place);
                if (chunk != null && wholeFiles.contains(place) && !skippedFiles.contains(place)) {
                    return MovedFile.of(file, names, chunk.source());
                }
                names.forEach(this::keep);
            }
            return null;
        }

        private void keep(RootedPath name) {
            kept.add(plan.header().roots().get(name.root()).source(), name.path());
        }

        @Override
        public void close() throws IOException {
            try (EntryGroups _ = entries; PlanRecords<PlannedFile> _ = largeFiles) {
                // Both are closed.
            }
        }
    }
}
