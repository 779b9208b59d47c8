// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.ChunkedCopy;
import org.treehaul.core.copy.ChunkedOutcomes;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.plan.PlanRecords;
import org.treehaul.core.plan.PlannedFile;

/** The files in chunks, in finishing: which can be completed, and what becomes of them. */
final class LargeFiles implements Iterator<ChunkedCopy>, ChunkedOutcomes {

    private final PlanRecords<PlannedFile> planned;
    private final BatchSurvey survey;
    private final FinishingHistory history;
    private final JournalWriter journal;
    private final Map<BatchSurvey.FileName, Collection<BatchSurvey.DoneChunk>> inHand = new HashMap<>();
    private final Set<BatchSurvey.FileName> done = new HashSet<>();
    private final Set<BatchSurvey.FileName> withoutLink = new HashSet<>();
    private @Nullable ChunkedCopy next;

    LargeFiles(PlanRecords<PlannedFile> planned, BatchSurvey survey, FinishingHistory history, JournalWriter journal) {
        this.planned = planned;
        this.survey = survey;
        this.history = history;
        this.journal = journal;
    }

    @Override
    public boolean hasNext() {
        try {
            while (next == null) {
                PlannedFile file = planned.next();
                if (file == null) {
                    return false;
                }
                next = copy(file);
            }
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ChunkedCopy next() {
        if (!hasNext() || next == null) {
            throw new NoSuchElementException();
        }
        ChunkedCopy copy = next;
        next = null;
        return copy;
    }

    private @Nullable ChunkedCopy copy(PlannedFile file) throws IOException {
        if (history.isWhole(file.root(), ByteString.of(file.path().toBytes()))) {
            return null;
        }
        BatchSurvey.LargeFile known = survey.largeFile(file);
        if (known.chunks.size() < file.chunks()) {
            // A chunk failed, or was left alone, so the others are of no use: what they are in is swept.
            discard(known.chunks.values());
            return null;
        }
        List<ChunkedCopy.Chunk> chunks = new ArrayList<>();
        known.chunks.values().forEach(chunk -> chunks.add(chunk.chunk()));
        List<ChunkedCopy.Name> links = file.links()
                .stream()
                .map(name -> new ChunkedCopy.Name(name.root(), name.path()))
                .toList();
        synchronized (this) {
            inHand.put(BatchSurvey.FileName.of(file), known.chunks.values());
        }
        return new ChunkedCopy(file.root(), file.path(), chunks, links);
    }

    private void discard(Collection<BatchSurvey.DoneChunk> chunks) {
        chunks.forEach(chunk -> journal.writeQuietly(new JournalRecord.Discarded(chunk.batch(), chunk.index())));
    }

    private static BatchSurvey.FileName name(ChunkedCopy file) {
        return new BatchSurvey.FileName(file.root(), file.path());
    }

    @Override
    public synchronized void done(ChunkedCopy file, FileStatus source) {
        done.add(name(file));
    }

    @Override
    public synchronized void skipped(ChunkedCopy file) {
        done.add(name(file));
    }

    @Override
    public synchronized void failed(ChunkedCopy file, EntryFailure failure, int tries) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, tries)));
        survey.failed(failure.kind(), 1);
        discard(inHand.getOrDefault(name(file), List.of()));
    }

    @Override
    public void linked(ChunkedCopy file, ChunkedCopy.Name name) {
        // Told of the file as a whole.
    }

    @Override
    public synchronized void linkFailed(ChunkedCopy file, ChunkedCopy.Name name, EntryFailure failure) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, 1)));
        survey.failed(failure.kind(), 1);
        withoutLink.add(name(file));
    }

    /** Writes down which files stand under all their names; called when that is on the disk. */
    synchronized void tellWhole() throws IOException {
        for (BatchSurvey.FileName file : done) {
            if (!withoutLink.contains(file)) {
                journal.write(new JournalRecord.LargeFile(file.root(), ByteString.of(file.path().toBytes())));
            }
        }
    }
}
