// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.treehaul.core.entry.ByteString;
import org.treehaul.core.plan.PlannedFailure;

/**
 * What earlier finishing told: which chunks do not count any more, which phases are done, what could be copied that
 * could not be planned. Memory grows with these, which are few.
 */
final class FinishingHistory {

    private record Place(int batch, int index) {}

    private record File(int root, ByteString path) {}

    private final Map<Place, Integer> generations = new HashMap<>();
    private final Set<File> mended = new HashSet<>();
    private final Map<File, Long> unplanned = new HashMap<>();
    private final Map<String, String> phases = new HashMap<>();

    private FinishingHistory() {}

    /** Returns that of a transfer that nobody finished. */
    static FinishingHistory none() {
        return new FinishingHistory();
    }

    /** Takes the large files that stand whole under all their names. */
    interface WholeFiles {
        /** Takes one. */
        void add(JournalRecord.LargeFile file);
    }

    /** Reads the journals of all finishing there was. */
    static FinishingHistory read(TransferDirectory directory) throws IOException {
        return read(Attempts.atFinishing(directory), file -> {
        });
    }

    /** Reads journals of finishing. */
    static FinishingHistory read(Attempts finishing, WholeFiles whole) throws IOException {
        FinishingHistory history = new FinishingHistory();
        for (Map.Entry<Integer, Integer> generation : finishing.newest().entrySet()) {
            for (int number = 1; number <= generation.getValue(); number++) {
                try {
                    finishing.read(new AttemptName(generation.getKey(), number),
                            (offset, record) -> history.add(generation.getKey(), record, whole));
                } catch (NoSuchFileException e) {
                    // Nothing is known of it then.
                }
            }
        }
        return history;
    }

    private void add(int generation, JournalRecord record, WholeFiles whole) {
        switch (record) {
            case JournalRecord.Discarded chunk ->
                generations.merge(new Place(chunk.batch(), chunk.index()), generation, Math::max);
            case JournalRecord.LargeFile file -> whole.add(file);
            case JournalRecord.Retried retried -> add(retried);
            case JournalRecord.Phase phase -> phases.put(phase.name(), phase.detail());
            default -> {
            }
        }
    }

    /** Takes what was told of something that could not be planned; the last word counts. */
    void add(JournalRecord.Retried retried) {
        File file = new File(retried.root(), retried.path());
        unplanned.put(file, retried.entries());
        if (retried.isWhole()) {
            mended.add(file);
        }
    }

    /** Returns how many entries were copied that could not be planned, directories not counted. */
    long unplanned() {
        return unplanned.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether a chunk that was written in a generation was discarded in that one or later. */
    boolean covers(int batch, int index, int generation) {
        return generations.getOrDefault(new Place(batch, index), 0) >= generation;
    }

    /** Returns whether what could not be planned was copied all the same. */
    boolean isMended(PlannedFailure failure) {
        return mended.contains(new File(failure.root(), ByteString.of(failure.failure().path().toBytes())));
    }

    /** Returns what is to be known of a phase that was done. */
    Optional<String> phase(String name) {
        return Optional.ofNullable(phases.get(name));
    }
}
