// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer.journal;

import java.time.Instant;
import java.util.List;
import java.util.function.IntConsumer;

import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.transfer.directory.TransferId;

/** A record of a journal. {@code docs/guide/journal-format.md} describes the format. */
public sealed interface JournalRecord {

    /** Identifies the journal; always the first record. The batch is 0 in journals of finishing. */
    record Header(TransferId transfer, int batch, int attempt, int generation, String host, long pid, String job,
            Instant time) implements JournalRecord {}

    /** Fact about entries that a record of indexes states. */
    enum Fact {
        /** The entry was copied. */
        DONE,
        /** The entry was skipped because of the options. */
        SKIPPED,
        /** The entry was copied in a newer state than planned. */
        CHANGED,
        /**
         * The entry is about to be copied again with the other names of its file: earlier records about it no longer
         * count.
         */
        AGAIN,
        /** A command that must not be repeated is about to run for the entry. It counts at once. */
        BEGUN
    }

    /** The same fact about several entries. */
    record Indexes(Fact fact, List<Range> ranges) implements JournalRecord {

        public Indexes {
            ranges = List.copyOf(ranges);
        }

        public void forEach(IntConsumer action) {
            for (Range range : ranges) {
                for (int index = range.from; index < range.to; index++) {
                    action.accept(index);
                }
            }
        }
    }

    /** A range of indexes; the end is exclusive. */
    record Range(int from, int to) {

        public Range {
            if (from < 0 || to <= from) {
                throw new IllegalArgumentException("not a range: " + from + " to " + to);
            }
        }
    }

    /** An entry failed. */
    record Failed(FailureRecord failure) implements JournalRecord {}

    /**
     * A chunk was written and synced.
     *
     * @param index its index in the manifest
     * @param source the version of the source file
     * @param proof the data needed to verify the chunk, empty if no verification was requested
     */
    record Chunk(int index, SourceIdentity source, ByteString proof) implements JournalRecord {}

    /** Everything that the records before an offset of this journal report as done is on stable storage. */
    record Durable(long before) implements JournalRecord {}

    /**
     * A phase of finishing is complete.
     *
     * @param name the phase
     * @param detail data for later use, or empty
     */
    record Phase(String name, String detail) implements JournalRecord {}

    /** A file in chunks is complete under all its names. */
    record LargeFile(int root, ByteString path) implements JournalRecord {}

    /**
     * An entry that was not in the plan as it is now was copied: one that could not be planned, one whose kind has
     * changed, or a further name of a large file that now belongs to another file. The remaining failures are in the
     * same journal.
     *
     * @param path its path below its root
     * @param isWhole whether nothing failed, so that it is not retried again
     * @param entries the number of entries copied, without directories
     */
    record Retried(int root, ByteString path, boolean isWhole, long entries) implements JournalRecord {}

    /**
     * An entry of another kind exists in place of these entries of a batch, and was copied; its failures are in the
     * same journal.
     *
     * @param isWhole whether nothing failed, so that the entries count as done; otherwise they count as failed, and
     *        only the failures in this journal are reported for them
     */
    record Replaced(int batch, List<Range> ranges, boolean isWhole) implements JournalRecord {

        public Replaced {
            ranges = List.copyOf(ranges);
        }
    }

    /** A chunk no longer counts: its file was not kept. */
    record Discarded(int batch, int index) implements JournalRecord {}

    /** How an attempt ended. */
    enum Ending {
        /** Every entry was tried. */
        COMPLETE,
        /** It was asked to stop. */
        STOPPED,
        /** It could not continue. */
        GAVE_UP
    }

    /** The attempt is over: the last record, of a fixed size. */
    record End(Ending ending, long done, long failed, long changed, long bytes) implements JournalRecord {}
}
