// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

import org.treehaul.core.event.EntryFailure;

/**
 * How a transfer ended in a generation: the report of its finishing.
 *
 * @param state how
 * @param generation in which
 * @param time when
 * @param entries of all batches
 * @param done entries that were copied or left alone
 * @param skipped those of them that were left alone
 * @param changed those of them that were copied as they are now, not as they were planned
 * @param unplanned entries besides these that could not be planned, and were copied all the same
 * @param failures by kind, what could not be planned and what finishing could not do included
 * @param openBatches how many batches are not complete
 * @param problem what is to be known, or empty
 */
public record TransferResult(State state, int generation, Instant time, long entries, long done, long skipped,
        long changed, long unplanned, Map<EntryFailure.Kind, Long> failures, int openBatches, String problem) {

    /** The ways to end. */
    public enum State {
        /** Everything is copied. */
        COMPLETE,
        /** Everything was tried, and some entries failed. */
        PARTIAL,
        /** Something was not tried yet; finishing left the copy as it was. */
        INCOMPLETE,
        /** Finishing was asked to stop or could not go on. */
        STOPPED,
        /** There is a newer generation: nothing was touched from then on. */
        SUPERSEDED
    }

    /** Makes a result. */
    public TransferResult {
        failures = Map.copyOf(failures);
    }

    /** Returns one that tells of nothing but how it ended. */
    static TransferResult empty(int generation, State state, String problem) {
        return new TransferResult(state, generation, Instant.now(), 0, 0, 0, 0, 0, Map.of(), 0, problem);
    }

    /** Returns how many entries failed. */
    public long failed() {
        return failures.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns whether all was tried, so that nothing is left to be cancelled. */
    boolean isFinal() {
        return state == State.COMPLETE || state == State.PARTIAL;
    }

    void write(Path file) throws IOException {
        lines().replace(file, true);
    }

    KeyFile lines() {
        KeyFile lines = KeyFile.empty()
                .with("state", word(state))
                .with("generation", generation)
                .with("time", time)
                .with("entries", entries)
                .with("done", done)
                .with("skipped", skipped)
                .with("changed", changed)
                .with("unplanned", unplanned)
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
        return KeyFile.find(file).flatMap(f -> {
            try {
                Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
                for (EntryFailure.Kind kind : EntryFailure.Kind.values()) {
                    if (f.number("failed-" + word(kind)) > 0) {
                        failures.put(kind, f.number("failed-" + word(kind)));
                    }
                }
                return Optional.of(new TransferResult(State.valueOf(f.text("state").toUpperCase(Locale.ROOT)),
                        (int) f.number("generation"), Instant.parse(f.text("time")), f.number("entries"),
                        f.number("done"), f.number("skipped"), f.number("changed"), f.number("unplanned"), failures,
                        (int) f.number("open-batches"), f.text("problem")));
            } catch (IllegalArgumentException | DateTimeParseException e) {
                return Optional.empty();
            }
        });
    }
}
