// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.finish;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.copy.batch.ChunkedCopy;
import org.treehaul.core.copy.batch.ChunkedOutcomes;
import org.treehaul.core.copy.outcome.EntryOutcome;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.transfer.directory.Lease;
import org.treehaul.core.transfer.journal.ChunkSort;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;
import org.treehaul.core.transfer.journal.RootedPath;

/**
 * The files in chunks, for finishing: selects those that can be completed and records their outcome. The next file is
 * requested only when the previous one is done.
 */
final class LargeFiles implements Iterator<ChunkedCopy>, ChunkedOutcomes {

    // Completed files that may remain unrecorded: one sync covers this many, and a kill loses as many records.
    private static final int UNRECORDED = 2_000;

    private final ChunkSort.Sorted sorted;
    private final BatchSurvey survey;
    private final JournalWriter journal;
    private final Lease lease;
    private final DirectoryMark mark;
    private final JournalWriter.Sync sync;
    private final Set<RootedPath> replaced;
    private final List<JournalRecord> changed = new ArrayList<>();
    private final Set<FileName> done = new HashSet<>();
    private final Set<FileName> withoutLink = new HashSet<>();
    private List<ChunkSort.DoneChunk> inHand = List.of();
    private @Nullable ChunkedCopy next;

    private record FileName(int root, TreePath path) {}

    /**
     * Creates an instance.
     *
     * @param replaced places at which, or below which, other entries were copied than those planned
     */
    LargeFiles(ChunkSort.Sorted sorted, BatchSurvey survey, JournalWriter journal, Lease lease, DirectoryMark mark,
            JournalWriter.Sync sync, Set<RootedPath> replaced) {
        this.sorted = sorted;
        this.survey = survey;
        this.journal = journal;
        this.lease = lease;
        this.mark = mark;
        this.sync = sync;
        this.replaced = Set.copyOf(replaced);
    }

    @Override
    public boolean hasNext() {
        try {
            if (next == null && done.size() >= UNRECORDED) {
                recordComplete();
            }
            while (next == null) {
                Optional<ChunkSort.LargeFile> file = sorted.next();
                if (file.isEmpty()) {
                    return false;
                }
                next = copy(file.get());
            }
            mark.clear();
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

    private @Nullable ChunkedCopy copy(ChunkSort.LargeFile file) {
        if (new RootedPath(file.root(), file.path()).isWithin(replaced)) {
            // Its further names were copied with it.
            return null;
        }
        List<ChunkedCopy.Name> links = new ArrayList<>();
        for (ChunkedCopy.Name name : file.links()) {
            RootedPath place = new RootedPath(name.root(), name.path());
            if (replaced.contains(place)) {
                survey.addChanged();
            } else if (!place.isWithin(replaced)) {
                links.add(name);
            }
        }
        return file.isWhole() ? null : copy(file, links);
    }

    private @Nullable ChunkedCopy copy(ChunkSort.LargeFile file, List<ChunkedCopy.Name> links) {
        synchronized (this) {
            inHand = file.done();
        }
        if (file.skipped() > 0 && file.done().size() + file.skipped() == file.count() && !links.isEmpty()) {
            // The workers decided by the first name alone.
            return new ChunkedCopy(file.root(), file.path(), List.of(), links);
        }
        if (file.done().size() < file.count()) {
            // A chunk failed or was skipped, so the other chunks are useless, and their temporary file is swept. The
            // obstacle for the first name, such as an existing directory, may not affect the other names.
            discard();
            return links.isEmpty() ? null : new ChunkedCopy(file.root(), file.path(), List.of(), links, true);
        }
        List<ChunkedCopy.Chunk> chunks = new ArrayList<>();
        file.done().forEach(chunk -> chunks.add(chunk.chunk()));
        return new ChunkedCopy(file.root(), file.path(), chunks, links);
    }

    private synchronized void discard() {
        inHand.forEach(chunk -> journal.writeQuietly(new JournalRecord.Discarded(chunk.batch(), chunk.index())));
    }

    private static FileName name(ChunkedCopy file) {
        return new FileName(file.root(), file.path());
    }

    @Override
    public synchronized void ended(ChunkedCopy file, EntryOutcome outcome) {
        if (!(outcome instanceof EntryOutcome.Failed failed)) {
            done.add(name(file));
        } else if (lease.isGood()) {
            report(failed.failure(), failed.tries());
            discard();
        }
    }

    // Unless a name fails, the record of the whole file covers it.
    @Override
    public synchronized void nameEnded(ChunkedCopy file, ChunkedCopy.Name name, EntryOutcome outcome, boolean isOther) {
        if (isOther) {
            survey.addChanged();
            changed.add(new JournalRecord.Retried(name.root(), ByteString.of(name.path().toBytes()), true, 0));
        }
        if (outcome instanceof EntryOutcome.Failed failed) {
            if (lease.isGood()) {
                report(failed.failure(), 1);
            }
            withoutLink.add(name(file));
        }
    }

    private void report(EntryFailure failure, int tries) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, tries)));
        survey.failed(failure.kind(), 1);
    }

    /**
     * Syncs, and records the files that are complete under all their names, and names that now belong to other files.
     */
    synchronized void recordComplete() throws IOException {
        sync.sync();
        if (!lease.isGood()) {
            // A later finishing may have replaced a file since, because the source changed.
            return;
        }
        for (JournalRecord name : changed) {
            journal.write(name);
        }
        changed.clear();
        for (FileName file : done) {
            if (!withoutLink.contains(file)) {
                journal.write(new JournalRecord.LargeFile(file.root(), ByteString.of(file.path().toBytes())));
            }
        }
        done.clear();
        withoutLink.clear();
    }
}
