// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import java.time.Instant;
import java.util.List;
import java.util.function.IntConsumer;

import org.treehaul.core.copy.SourceIdentity;
import org.treehaul.core.entry.ByteString;

/** What stands in a journal, frame by frame. The format is in {@code docs/guide/journal-format.md}. */
sealed interface JournalRecord {

    /** Whose journal it is: the first record of each. The batch is 0 in journals of finishing. */
    record Header(TransferId transfer, int batch, int attempt, int generation, String host, long pid, String job,
            Instant time) implements JournalRecord {}

    /** What of an entry a record of indexes tells. */
    enum Fact {
        /** It was copied. */
        DONE,
        /** It was left alone, as the options say. */
        SKIPPED,
        /** It was copied as it is now, which is not as it was planned. */
        CHANGED,
        /**
         * It is about to be copied again with the other names of its file: what was told of it before does not count.
         */
        AGAIN
    }

    /** The same of many entries. */
    record Indexes(Fact fact, List<Range> ranges) implements JournalRecord {

        public Indexes {
            ranges = List.copyOf(ranges);
        }

        void forEach(IntConsumer action) {
            for (Range range : ranges) {
                for (int index = range.from; index < range.to; index++) {
                    action.accept(index);
                }
            }
        }
    }

    /** Indexes from a first one to before a last one. */
    record Range(int from, int to) {

        public Range {
            if (from < 0 || to <= from) {
                throw new IllegalArgumentException("no range: " + from + " to " + to);
            }
        }
    }

    /** An entry failed. */
    record Failed(FailureRecord failure) implements JournalRecord {}

    /**
     * A chunk was written and synced.
     *
     * @param index its number in the manifest
     * @param source the version of the file that it is of
     * @param proof what it is read back by, empty where that was not asked for
     */
    record Chunk(int index, SourceIdentity source, ByteString proof) implements JournalRecord {}

    /** All that the records before an offset of this journal tell as done is on the disk. */
    record Durable(long before) implements JournalRecord {}

    /**
     * A phase of finishing is done.
     *
     * @param name which one
     * @param detail what is to be known of it later, or empty
     */
    record Phase(String name, String detail) implements JournalRecord {}

    /** A file in chunks stands whole under its name, and under its further names. */
    record LargeFile(int root, ByteString path) implements JournalRecord {}

    /**
     * What could not be planned was tried again; what of it still fails is told in the same journal.
     *
     * @param path where it stands below its root
     * @param isWhole whether nothing failed: it is not tried again
     * @param entries how many were copied, directories not counted
     */
    record Retried(int root, ByteString path, boolean isWhole, long entries) implements JournalRecord {}

    /** A chunk does not count any more: its file was not kept. */
    record Discarded(int batch, int index) implements JournalRecord {}

    /** How an attempt ended. */
    enum Ending {
        /** Every entry was tried. */
        COMPLETE,
        /** It was asked to stop. */
        STOPPED,
        /** It could not go on. */
        GAVE_UP
    }

    /** The attempt is over: the last record, of a fixed size. */
    record End(Ending ending, long done, long failed, long changed, long bytes) implements JournalRecord {}
}
