// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

import org.treehaul.core.transfer.directory.GenerationResult;
import org.treehaul.core.transfer.directory.TransferDirectory;

/**
 * The time in which nothing worked on a transfer that was resumed: from the end of a generation to the first work of
 * the next one. Reads the progress of every attempt or, if there is none, its header. Clocks of nodes may differ, which
 * only makes a pause look shorter or longer.
 *
 * @param began when the first attempt began, if there is one
 * @param sum the length of all pauses
 */
record Pauses(Optional<Instant> began, Duration sum) {

    /** The time from the first to the last work of a generation. */
    private record Span(Instant from, Instant to) {

        Span and(Span other) {
            return new Span(from.isBefore(other.from) ? from : other.from, later(to, other.to));
        }
    }

    /** Returns the pauses of a transfer that was never resumed. */
    static Pauses none() {
        return new Pauses(Optional.empty(), Duration.ZERO);
    }

    /**
     * Reads the pauses before a generation and earlier ones.
     *
     * @param state the state of the transfer: while it waits for workers, the pause lasts until now
     * @param progress the progress of the newest attempts
     */
    static Pauses read(TransferDirectory transfer, int generation, TransferStatus.State state, Instant now,
            ReportedProgress progress) throws IOException {
        TreeMap<Integer, Span> spans = new TreeMap<>();
        progress.each((ofGeneration, began, reported) -> spans.merge(ofGeneration,
                new Span(began, later(began, reported)), Span::and));
        if (spans.isEmpty()) {
            return none();
        }
        Instant began = spans.firstEntry().getValue().from;
        for (int number = 1; number <= generation; number++) {
            Optional<Instant> end = GenerationResult.of(transfer, number).result().map(result -> result.time());
            Optional<Instant> start = end.isPresent() || state == TransferStatus.State.FINISHING && number == generation
                    ? transfer.generations().begun(number)
                    : Optional.empty();
            if (end.isPresent() || start.isPresent()) {
                Instant from = spans.containsKey(number) ? spans.get(number).from : start.or(() -> end).orElseThrow();
                spans.merge(number, new Span(from, end.orElse(now)), Span::and);
            }
        }
        if (state.isActive() && !spans.containsKey(generation)) {
            spans.put(generation, new Span(now, now));
        }
        Duration sum = Duration.ZERO;
        Instant busy = began;
        for (Span span : spans.values()) {
            sum = span.from.isAfter(busy) ? sum.plus(Duration.between(busy, span.from)) : sum;
            busy = later(busy, span.to);
        }
        return new Pauses(Optional.of(began), sum);
    }

    private static Instant later(Instant a, Instant b) {
        return a.isAfter(b) ? a : b;
    }
}
