// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

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
import org.treehaul.core.copy.ChunkedCopy;
import org.treehaul.core.copy.ChunkedOutcomes;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.FileStatus;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;

/**
 * The files in chunks, in finishing: which can be completed, and what becomes of them. The next one is asked for only
 * when the one before it is done.
 */
final class LargeFiles implements Iterator<ChunkedCopy>, ChunkedOutcomes {

    // Files that may stand whole without that being written down: a sync for so many, and what a kill costs.
    private static final int UNTOLD = 2_000;

    private final ChunkSort.Sorted sorted;
    private final BatchSurvey survey;
    private final JournalWriter journal;
    private final Lease lease;
    private final JournalWriter.Sync sync;
    private final Set<FileName> done = new HashSet<>();
    private final Set<FileName> withoutLink = new HashSet<>();
    private List<ChunkSort.DoneChunk> inHand = List.of();
    private @Nullable ChunkedCopy next;

    private record FileName(int root, TreePath path) {}

    LargeFiles(ChunkSort.Sorted sorted, BatchSurvey survey, JournalWriter journal, Lease lease,
            JournalWriter.Sync sync) {
        this.sorted = sorted;
        this.survey = survey;
        this.journal = journal;
        this.lease = lease;
        this.sync = sync;
    }

    @Override
    public boolean hasNext() {
        try {
            if (next == null && done.size() >= UNTOLD) {
                tellWhole();
            }
            while (next == null) {
                Optional<ChunkSort.LargeFile> file = sorted.next();
                if (file.isEmpty()) {
                    return false;
                }
                next = copy(file.get());
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

    private @Nullable ChunkedCopy copy(ChunkSort.LargeFile file) {
        if (file.isWhole()) {
            return null;
        }
        synchronized (this) {
            inHand = file.done();
        }
        if (file.done().size() < file.count()) {
            // A chunk failed, or was left alone, so the others are of no use: what they are in is swept.
            discard();
            return null;
        }
        List<ChunkedCopy.Chunk> chunks = new ArrayList<>();
        file.done().forEach(chunk -> chunks.add(chunk.chunk()));
        return new ChunkedCopy(file.root(), file.path(), chunks, file.links());
    }

    private synchronized void discard() {
        inHand.forEach(chunk -> journal.writeQuietly(new JournalRecord.Discarded(chunk.batch(), chunk.index())));
    }

    private static FileName name(ChunkedCopy file) {
        return new FileName(file.root(), file.path());
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
        if (lease.isGood()) {
            tell(failure, tries);
            discard();
        }
    }

    @Override
    public void linked(ChunkedCopy file, ChunkedCopy.Name name) {
        // Told of the file as a whole.
    }

    @Override
    public synchronized void linkFailed(ChunkedCopy file, ChunkedCopy.Name name, EntryFailure failure) {
        if (lease.isGood()) {
            tell(failure, 1);
        }
        withoutLink.add(name(file));
    }

    private void tell(EntryFailure failure, int tries) {
        journal.writeQuietly(new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure, tries)));
        survey.failed(failure.kind(), 1);
    }

    /** Syncs, and writes down which files stand under all their names. */
    synchronized void tellWhole() throws IOException {
        sync.sync();
        if (!lease.isGood()) {
            // A later one may have made another of it since, of a source that has changed.
            return;
        }
        for (FileName file : done) {
            if (!withoutLink.contains(file)) {
                journal.write(new JournalRecord.LargeFile(file.root(), ByteString.of(file.path().toBytes())));
            }
        }
        done.clear();
        withoutLink.clear();
    }
}
