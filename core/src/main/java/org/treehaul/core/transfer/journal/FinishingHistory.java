// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ObjIntConsumer;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.fs.Errno;
import org.treehaul.core.plan.format.Plan;
import org.treehaul.core.plan.format.PlanRecords;
import org.treehaul.core.plan.format.PlannedFailure;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * The records of earlier finishing: chunks that no longer count, completed phases, and entries copied although planning
 * them had failed. Memory grows with these, by 32 to 64 bytes for each such entry, but not with the failures of
 * planning that remain, nor with those of finishing.
 */
public final class FinishingHistory {

    /** The phase that removes the tokens; its detail holds the inodes of the directories that contained them. */
    public static final String TOKEN = "token";

    /**
     * The phase that removes the sources of a move. It begins with this record, whose detail holds the inodes of the
     * directories that contain the sources and, on further lines, the paths of the files that mark unfinished targets.
     */
    public static final String REMOVAL = "removal";

    /** About 20 MB. */
    private static final int MOST_CHANGED = 100_000;

    private record Place(int batch, int index) {}

    private record Changed(ByteString root, TreePath path) {}

    private final Map<Place, Integer> generations = new HashMap<>();
    private final RetriedPlaces retries = new RetriedPlaces();
    // Null if there are no journals.
    private final @Nullable Attempts finishing;
    private final Map<String, String> phases = new HashMap<>();
    private final Map<Integer, BitSet> resolvedEntries = new HashMap<>();
    // The newest generation in which entries of a batch were resolved.
    private final Map<Integer, Integer> resolvedIn = new HashMap<>();
    private boolean hasNoDirectories;
    private final Set<Changed> changed = new HashSet<>();
    private boolean isMuchChanged;
    // Holds only records of the newest finishing, because each one retries whatever is not resolved.
    private final Map<Integer, BitSet> reportedEntries = new HashMap<>();
    private int reportedIn;

    private FinishingHistory(@Nullable Attempts finishing) {
        this.finishing = finishing;
    }

    /** Returns the history of a transfer that was never finished. */
    public static FinishingHistory none() {
        return new FinishingHistory(null);
    }

    /** Receives the large files that are complete under all their names. */
    public interface WholeFiles {
        /** Receives a file. */
        void add(JournalRecord.LargeFile file);
    }

    /** Reads the journals of all finishing so far. */
    public static FinishingHistory read(TransferDirectory directory) throws IOException {
        return read(Attempts.atFinishing(directory), file -> {
        });
    }

    /** Reads the journals of finishing. */
    public static FinishingHistory read(Attempts finishing, WholeFiles whole) throws IOException {
        FinishingHistory history = new FinishingHistory(finishing);
        each(finishing, history.reportedEntries::clear, (record, generation) -> history.add(generation, record, whole));
        return history;
    }

    // The records of all finishing, with their generations.
    private static void each(Attempts finishing, Runnable begin, ObjIntConsumer<JournalRecord> consumer)
            throws IOException {
        for (Map.Entry<Integer, Integer> generation : new TreeMap<>(finishing.newest()).entrySet()) {
            for (int number = 1; number <= generation.getValue(); number++) {
                begin.run();
                try {
                    finishing.read(new AttemptName(generation.getKey(), number),
                            (offset, record) -> consumer.accept(record, generation.getKey()));
                } catch (NoSuchFileException e) {
                    // Without a journal there are no records.
                }
            }
        }
    }

    /** Adds a record that finishing wrote in a generation. */
    public void add(int generation, JournalRecord record) {
        add(generation, record, file -> {
        });
    }

    private void add(int generation, JournalRecord record, WholeFiles whole) {
        switch (record) {
            case JournalRecord.Discarded chunk ->
                generations.merge(new Place(chunk.batch(), chunk.index()), generation, Math::max);
            case JournalRecord.LargeFile file -> whole.add(file);
            case JournalRecord.Retried retried ->
                retries.put(retried.root(), retried.path(), retried.isWhole(), retried.entries());
            case JournalRecord.Replaced replaced -> add(generation, replaced);
            case JournalRecord.Failed failed -> {
                EntryFailure failure = failed.failure().failure();
                if (isNoDirectory(failure)) {
                    hasNoDirectories = true;
                } else if (failure.kind() == EntryFailure.Kind.CHANGED) {
                    addChanged(failure);
                }
            }
            case JournalRecord.Phase phase -> phases.put(phase.name(), phase.detail());
            default -> {
            }
        }
    }

    private void addChanged(EntryFailure failure) {
        if (changed.size() < MOST_CHANGED) {
            changed.add(new Changed(failure.root(), failure.path()));
        } else {
            isMuchChanged = true;
        }
    }

    private static boolean isNoDirectory(EntryFailure failure) {
        return failure.errno() == Errno.ENOTDIR || failure.errno() == Errno.ELOOP;
    }

    /** Receives failures of entries. */
    public interface Failures {
        /** Receives a failure. */
        void add(EntryFailure failure);
    }

    /**
     * Passes on failures of all finishing so far, among them all those of planned directories that were no longer
     * directories. There may be as many as directories, so they are read instead of held.
     */
    public static void noDirectories(Attempts finishing, Failures failures) throws IOException {
        each(finishing, () -> {
        }, (record, generation) -> {
            if (record instanceof JournalRecord.Failed failed && isNoDirectory(failed.failure().failure())) {
                failures.add(failed.failure().failure());
            }
        });
    }

    /** Returns the number of entries of which results of retries are in memory. */
    int retries() {
        return retries.size();
    }

    /** Adds the result of copying an entry of another kind in place of planned entries. */
    private void add(int generation, JournalRecord.Replaced replaced) {
        BitSet entries = (replaced.isWhole() ? resolvedEntries : reportedEntries).computeIfAbsent(replaced.batch(),
                batch -> new BitSet());
        replaced.ranges().forEach(range -> entries.set(range.from(), range.to()));
        reportedIn = generation;
        if (replaced.isWhole()) {
            resolvedIn.merge(replaced.batch(), generation, Math::max);
        }
    }

    /** Returns the indexes of the entries of a batch in whose place an entry of another kind was copied. */
    BitSet resolved(int batch) {
        return (BitSet) resolvedEntries.getOrDefault(batch, new BitSet()).clone();
    }

    /**
     * Returns whether finishing tried to copy replacements for entries of a batch in a generation or later, so that an
     * attempt of that generation still counts them as failed.
     */
    public boolean hasReplaced(int batch, int generation) {
        return resolvedIn.getOrDefault(batch, 0) >= generation || !reported(batch, generation).isEmpty();
    }

    /**
     * Returns the entries of a batch whose replacement failed in the newest finishing, which reports the failure.
     *
     * @param generation the generation of the newest attempt at the batch; the records of a later attempt take
     *        precedence
     */
    BitSet reported(int batch, int generation) {
        return generation <= reportedIn ? reportedEntries.getOrDefault(batch, new BitSet()) : new BitSet();
    }

    /** Returns whether finishing reported failures whose reason may be that an entry has changed its kind. */
    public boolean mayHaveChangedKinds() {
        return hasNoDirectories || !changed.isEmpty();
    }

    /** Returns whether finishing may have reported an entry as changed; if it reported very many, each may be one. */
    public boolean mayBeChanged(ByteString root, TreePath path) {
        return isMuchChanged || changed.contains(new Changed(root, path));
    }

    /** Returns the places at which, or below which, other entries were copied than those planned. */
    public Set<RootedPath> replaced(Plan plan) throws IOException {
        if (!retries.hasReplaced()) {
            return Set.of();
        }
        try (PlanRecords<PlannedFailure> failures = plan.failures()) {
            for (PlannedFailure failure = failures.next(); failure != null; failure = failures.next()) {
                retries.plan(failure.root(), path(failure));
            }
        }
        Set<RootedPath> replaced = new HashSet<>();
        if (retries.hasReplaced() && finishing != null) {
            // Only the journals have the paths.
            each(finishing, () -> {
            }, (record, generation) -> {
                if (record instanceof JournalRecord.Retried retried
                        && retries.isReplaced(retried.root(), retried.path())) {
                    replaced.add(new RootedPath(retried.root(), TreePath.of(retried.path().toBytes())));
                }
            });
        }
        return replaced;
    }

    /** Returns the number of entries that were copied although they were not planned, without directories. */
    public long unplanned() {
        return retries.entries();
    }

    /** Returns whether a chunk written in a generation was discarded in that generation or a later one. */
    boolean covers(int batch, int index, int generation) {
        return generations.getOrDefault(new Place(batch, index), 0) >= generation;
    }

    /** Returns whether an entry that could not be planned was copied by a retry. */
    public boolean wasCopied(PlannedFailure failure) {
        return retries.isWhole(failure.root(), path(failure));
    }

    private static ByteString path(PlannedFailure failure) {
        return ByteString.of(failure.failure().path().toBytes());
    }

    /** Returns the detail in the latest record of a phase. */
    public Optional<String> phase(String name) {
        return Optional.ofNullable(phases.get(name));
    }
}
