// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.directory;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.annotation.Api;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.state.StateFile;

/**
 * The result of a transfer in a generation: the report of its finishing.
 *
 * @param state the state
 * @param generation the generation
 * @param time when it ended
 * @param entries entries of all batches
 * @param done entries copied or skipped
 * @param skipped those that were skipped
 * @param changed those that were copied in a newer state than planned
 * @param unplanned further entries that were copied although they were not planned
 * @param removed entries of the destination that a sync removed, because the source does not have them
 * @param failures failures by kind, including those of planning and of finishing
 * @param openBatches the number of batches that are not complete
 * @param problem a message for the user, or empty
 */
@Api
public record TransferResult(State state, int generation, Instant time, long entries, long done, long skipped,
        long changed, long unplanned, long removed, Map<EntryFailure.Kind, Long> failures, int openBatches,
        String problem) {

    /** State of a transfer at the end of a generation. */
    public enum State {
        /** Every entry is done. */
        COMPLETE,
        /** Everything was tried, and some entries failed. */
        PARTIAL,
        /** Some work was not tried yet, or the destination failed as a whole while the transfer was finished. */
        INCOMPLETE,
        /** Finishing was asked to stop or could not continue here. */
        STOPPED,
        /** A newer generation exists: this one has changed nothing since. */
        SUPERSEDED
    }

    /** Creates a result. */
    public TransferResult {
        failures = Map.copyOf(failures);
    }

    /** Returns a result without counts. */
    public static TransferResult empty(int generation, State state, String problem) {
        return new TransferResult(state, generation, Instant.now(), 0, 0, 0, 0, 0, 0, Map.of(), 0, problem);
    }

    /** Returns the number of entries that failed. */
    public long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether everything was tried, so that no work is left to cancel. */
    public boolean isFinal() {
        return state == State.COMPLETE || state == State.PARTIAL;
    }

    void write(Path file) throws IOException {
        lines().replace(file, true);
    }

    StateFile lines() {
        StateFile lines = StateFile.empty()
                .with("state", word(state))
                .with("generation", generation)
                .with("time", time)
                .with("entries", entries)
                .with("done", done)
                .with("skipped", skipped)
                .with("changed", changed)
                .with("unplanned", unplanned)
                .with("removed", removed)
                .with("open-batches", openBatches)
                .withEscaped("problem", problem);
        for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
            lines = lines.with("failed-" + word(kind), failures.getOrDefault(kind, 0L));
        }
        return lines;
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    static Optional<TransferResult> read(Path file) throws IOException {
        return StateFile.find(file).flatMap(f -> {
            try {
                Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
                for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
                    if (f.number("failed-" + word(kind)) > 0) {
                        failures.put(kind, f.number("failed-" + word(kind)));
                    }
                }
                return Optional.of(new TransferResult(State.valueOf(f.text("state").toUpperCase(Locale.ROOT)),
                        (int) f.number("generation"), Instant.parse(f.text("time")), f.number("entries"),
                        f.number("done"), f.number("skipped"), f.number("changed"), f.number("unplanned"),
                        f.values().containsKey("removed") ? f.number("removed") : 0, failures,
                        (int) f.number("open-batches"), f.text("problem")));
            } catch (IllegalArgumentException | DateTimeParseException e) {
                return Optional.empty();
            }
        });
    }
}
