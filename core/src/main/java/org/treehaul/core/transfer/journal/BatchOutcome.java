// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;
import org.treehaul.core.event.EntryFailure;

/**
 * The combined outcome of all attempts at a batch. An entry is done if a journal says so and a later record of the same
 * journal declares that record durable. Later attempts override earlier ones.
 *
 * <p>
 * Memory use: a byte for each entry of the batch, and the records of chunks.
 */
public final class BatchOutcome {

    private static final byte OPEN = 0;
    private static final byte DONE = 1;
    private static final byte SKIPPED = 2;
    // Failed, but reported by the finishing that retried it.
    private static final byte REPORTED = 3;
    private static final byte FAILED = 4;

    private final Map<Integer, JournalRecord.Chunk> chunks = new HashMap<>();
    private final BitSet changed = new BitSet();
    private final BitSet begun = new BitSet();
    private BitSet begunInJournal = new BitSet();
    private byte[] verdicts = new byte[1024];
    private JournalRecord.@Nullable End end;
    private int generation;

    private final FinishingHistory history;
    private BitSet resolved = new BitSet();

    private BatchOutcome(FinishingHistory history) {
        this.history = history;
    }

    /** Reads the journals of a batch, from attempt 1 up to a given number. */
    public static BatchOutcome read(Attempts attempts, int batch, int newest, FinishingHistory history)
            throws IOException {
        BatchOutcome outcome = new BatchOutcome(history);
        for (int number = 1; number <= newest; number++) {
            outcome.add(attempts, new AttemptName(batch, number));
        }
        outcome.replace(batch);
        return outcome;
    }

    private void add(Attempts attempts, AttemptName name) throws IOException {
        List<Pending> pending = new ArrayList<>();
        end = null;
        generation = 0;
        begunInJournal = new BitSet();
        try {
            attempts.read(name, (offset, record) -> {
                switch (record) {
                    case JournalRecord.Header header -> generation = header.generation();
                    case JournalRecord.Indexes indexes -> {
                        switch (indexes.fact()) {
                            case AGAIN -> indexes.forEach(index -> set(index, OPEN));
                            case BEGUN -> indexes.forEach(this::begun);
                            case DONE, SKIPPED, CHANGED -> pending.add(new Pending(offset, indexes));
                        }
                    }
                    case JournalRecord.Chunk chunk -> pending.add(new Pending(offset, chunk));
                    case JournalRecord.Failed failed -> failed(failed.failure());
                    case JournalRecord.Durable durable -> settle(name, pending, durable.before());
                    case JournalRecord.End last -> end = last;
                    case JournalRecord.Phase phase -> {
                    }
                    case JournalRecord.LargeFile file -> {
                    }
                    case JournalRecord.Discarded chunk -> {
                    }
                    case JournalRecord.Retried retried -> {
                    }
                    case JournalRecord.Replaced replaced -> {
                    }
                }
            });
        } catch (NoSuchFileException e) {
            // A missing journal has no outcomes.
        }
    }

    // Applies the replacements made by finishing after the records of the attempts, which precede it in a generation.
    private void replace(int batch) {
        resolved = history.resolved(batch);
        resolved.stream().forEach(index -> {
            set(index, DONE);
            changed.set(index);
            chunks.remove(index);
        });
        history.reported(batch, generation).stream().filter(this::isFailed).forEach(index -> set(index, REPORTED));
    }

    /** A record that counts only once it is known to be durable. */
    private record Pending(long offset, JournalRecord record) {}

    private void settle(AttemptName name, List<Pending> pending, long before) {
        pending.removeIf(p -> {
            if (p.offset >= before) {
                return false;
            }
            switch (p.record) {
                case JournalRecord.Indexes indexes -> indexes.forEach(index -> {
                    switch (indexes.fact()) {
                        case DONE -> set(index, DONE);
                        case SKIPPED -> set(index, SKIPPED);
                        case CHANGED -> changed.set(index);
                        case AGAIN, BEGUN -> throw new IllegalStateException(p.toString());
                    }
                });
                case JournalRecord.Chunk chunk -> {
                    if (!history.covers(name.batch(), chunk.index(), generation)) {
                        set(chunk.index(), DONE);
                        chunks.put(chunk.index(), chunk);
                    }
                }
                default -> throw new IllegalStateException(p.toString());
            }
            return true;
        });
    }

    private void begun(int index) {
        begun.set(index);
        begunInJournal.set(index);
    }

    private void failed(FailureRecord failure) {
        if (failure.index() != FailureRecord.NO_ENTRY) {
            set(failure.index(), failed(failure.failure().kind()));
            changed.clear(failure.index());
            // An attempt that only reports an earlier one does not know how the command ended.
            if (begunInJournal.get(failure.index())) {
                begun.clear(failure.index());
            }
        }
    }

    private static byte failed(EntryFailure.Kind kind) {
        return (byte) (FAILED + switch (kind) {
            case ERROR -> 0;
            case VANISHED -> 1;
            case CHANGED -> 2;
            case CORRUPT -> 3;
        });
    }

    private static EntryFailure.Kind kind(byte verdict) {
        return switch (verdict - FAILED) {
            case 0 -> EntryFailure.Kind.ERROR;
            case 1 -> EntryFailure.Kind.VANISHED;
            case 2 -> EntryFailure.Kind.CHANGED;
            default -> EntryFailure.Kind.CORRUPT;
        };
    }

    private void set(int index, byte verdict) {
        if (index >= verdicts.length) {
            verdicts = Arrays.copyOf(verdicts, Math.max(index + 1, Math.min(verdicts.length, 1 << 29) * 2));
        }
        verdicts[index] = verdict;
    }

    private byte verdict(int index) {
        return index < verdicts.length ? verdicts[index] : OPEN;
    }

    /** Returns whether an entry needs no further work. */
    public boolean isDone(int index) {
        byte verdict = verdict(index);
        return verdict == DONE || verdict == SKIPPED;
    }

    /** Returns whether a command began for an entry, and no later record says how it ended. */
    public boolean isBegun(int index) {
        return begun.get(index) && !isDone(index);
    }

    /** Returns whether finishing copied an entry of another kind in place of this one. */
    public boolean isReplaced(int index) {
        return resolved.get(index);
    }

    /** Returns whether an entry was skipped. */
    public boolean isSkipped(int index) {
        return verdict(index) == SKIPPED;
    }

    /** Returns whether an entry failed according to its latest record. */
    public boolean isFailed(int index) {
        return verdict(index) >= FAILED;
    }

    /** Returns the record of a chunk that is done. */
    public Optional<JournalRecord.Chunk> chunk(int index) {
        return isDone(index) ? Optional.ofNullable(chunks.get(index)) : Optional.empty();
    }

    /**
     * Returns whether each of the given number of entries is done or failed, and the newest attempt ended as complete.
     */
    public boolean isComplete(long entries) {
        return end != null && end.ending() == JournalRecord.Ending.COMPLETE && open(entries) == 0;
    }

    /** Returns whether each of the given number of entries is done. */
    public boolean isWhole(long entries) {
        for (int index = 0; index < entries; index++) {
            if (!isDone(index)) {
                return false;
            }
        }
        return true;
    }

    /** Returns how many of the given number of entries are neither done nor failed. */
    long open(long entries) {
        long open = 0;
        for (int index = 0; index < entries; index++) {
            if (verdict(index) == OPEN) {
                open++;
            }
        }
        return open;
    }

    /** Counts the entries by outcome. */
    public Tally tally() {
        long done = 0;
        long skipped = 0;
        Map<EntryFailure.Kind, Long> failures = new EnumMap<>(EntryFailure.Kind.class);
        for (byte verdict : verdicts) {
            if (verdict == DONE || verdict == SKIPPED) {
                done++;
                skipped += verdict == SKIPPED ? 1 : 0;
            } else if (verdict >= FAILED) {
                failures.merge(kind(verdict), 1L, Long::sum);
            }
        }
        return new Tally(done, skipped, changed.cardinality(), failures);
    }

    /**
     * Counts of entries.
     *
     * @param done entries copied or skipped
     * @param skipped those that were skipped
     * @param changed those that were copied in a newer state than planned
     * @param failures failed entries by kind
     */
    public record Tally(long done, long skipped, long changed, Map<EntryFailure.Kind, Long> failures) {

        public long failed() {
            return failures.values().stream().mapToLong(Long::longValue).sum();
        }
    }
}
