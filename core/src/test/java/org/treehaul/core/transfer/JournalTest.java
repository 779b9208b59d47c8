// SPDX-License-Identifier: Apache-2.0
package org.treehaul.core.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.treehaul.core.copy.target.SourceIdentity;
import org.treehaul.core.entry.ByteString;
import org.treehaul.core.entry.TreePath;
import org.treehaul.core.event.EntryFailure;
import org.treehaul.core.testing.TestDirectory;
import org.treehaul.core.transfer.directory.TransferId;
import org.treehaul.core.transfer.journal.AttemptName;
import org.treehaul.core.transfer.journal.FailureRecord;
import org.treehaul.core.transfer.journal.IndexSet;
import org.treehaul.core.transfer.journal.JournalReader;
import org.treehaul.core.transfer.journal.JournalRecord;
import org.treehaul.core.transfer.journal.JournalWriter;

/** Journals are read as they were written; a damaged one counts up to the damage. */
class JournalTest {

    private static final TransferId ID = new TransferId("20261121-162202-k3x9");
    private static final AttemptName NAME = new AttemptName(7, 2);
    private static final JournalRecord.Header HEADER = new JournalRecord.Header(ID, 7, 2, 3, "n\u00f6de", 4711, "12_3",
            Instant.ofEpochMilli(1_795_258_695_428L));

    private static EntryFailure failure(byte[] path) {
        return new EntryFailure(EntryFailure.Kind.ERROR, ByteString.of("/s"), TreePath.of(path), "openat", 13);
    }

    private static List<JournalRecord> records() {
        return List.of(HEADER,
                new JournalRecord.Indexes(JournalRecord.Fact.DONE,
                        List.of(new JournalRecord.Range(0, 5), new JournalRecord.Range(7, 8))),
                new JournalRecord.Indexes(JournalRecord.Fact.CHANGED, List.of(new JournalRecord.Range(7, 8))),
                new JournalRecord.Indexes(JournalRecord.Fact.SKIPPED, List.of(new JournalRecord.Range(9, 12))),
                new JournalRecord.Failed(new FailureRecord(6, failure(new byte[]{'a', (byte) 0xFF, '\n'}), 3)),
                new JournalRecord.Failed(new FailureRecord(FailureRecord.NO_ENTRY, failure(new byte[0]), 1)),
                new JournalRecord.Chunk(8, new SourceIdentity(1, -2, 3, -4, 5, 6, 7),
                        ByteString.of(new byte[]{1, 0, 2})),
                new JournalRecord.Durable(200), new JournalRecord.Phase("directories", "12"),
                new JournalRecord.LargeFile(1, ByteString.of("big/\n")), new JournalRecord.Discarded(3, 9),
                new JournalRecord.Retried(2, ByteString.of("shut/\t"), true, 1L << 40), new JournalRecord.Replaced(3,
                        List.of(new JournalRecord.Range(2, 4), new JournalRecord.Range(9, 10)), true),
                new JournalRecord.End(JournalRecord.Ending.STOPPED, 1, 2, 3, 4));
    }

    private static void write(Path file, List<JournalRecord> records) throws IOException {
        try (JournalWriter writer = JournalWriter.claim(file, HEADER).orElseThrow()) {
            for (JournalRecord record : records.subList(1, records.size())) {
                writer.write(record);
            }
        }
    }

    private static List<JournalRecord> read(Path file) throws IOException {
        List<JournalRecord> records = new ArrayList<>();
        JournalReader.read(file, NAME, ID, (offset, record) -> records.add(record));
        return records;
    }

    private static JournalReader.Extent extent(Path file) throws IOException {
        return JournalReader.read(file, NAME, ID, (offset, record) -> {
        });
    }

    @Test
    void writtenRecordsAreRead() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("7.2.journal");
            write(file, records());
            assertThat(read(file)).isEqualTo(records());
            assertThat(extent(file)).isEqualTo(new JournalReader.Extent(Files.size(file), false));
            assertThat(JournalReader.header(file)).contains(HEADER);
            assertThat(JournalReader.end(file)).contains((JournalRecord.End) records().getLast());
        }
    }

    @Test
    void oneOfManyClaims() throws Exception {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("7.2.journal");
            AtomicInteger claimed = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        JournalWriter.claim(file, HEADER).ifPresent(writer -> {
                            claimed.incrementAndGet();
                            writer.close();
                        });
                    } catch (IOException e) {
                        claimed.addAndGet(100);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(claimed).hasValue(1);
            assertThat(read(file)).containsExactly(HEADER);
        }
    }

    @Test
    void cutAnywhereItCountsUpToTheLastWholeRecord() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("whole");
            write(file, records());
            byte[] whole = Files.readAllBytes(file);
            Path cut = directory.resolve("cut");
            int before = 0;
            for (int length = 0; length <= whole.length; length++) {
                Files.write(cut, Arrays.copyOf(whole, length));
                List<JournalRecord> found = read(cut);
                assertThat(found).isEqualTo(records().subList(0, found.size()));
                assertThat(found.size()).isBetween(before, before + 1);
                assertThat(extent(cut).isDamaged()).isFalse();
                before = found.size();
            }
            assertThat(before).isEqualTo(records().size());
        }
    }

    @Test
    void withAnyBitFlippedItCountsUpToTheDamage() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("whole");
            write(file, records());
            byte[] whole = Files.readAllBytes(file);
            Path flipped = directory.resolve("flipped");
            for (int bit = 0; bit < whole.length * 8; bit++) {
                byte[] bytes = whole.clone();
                bytes[bit / 8] ^= (byte) (1 << bit % 8);
                Files.write(flipped, bytes);
                List<JournalRecord> found = read(flipped);
                assertThat(found.size()).isLessThan(records().size());
                assertThat(found).isEqualTo(records().subList(0, found.size()));
                assertThat(extent(flipped).good()).isLessThanOrEqualTo(bit / 8);
            }
        }
    }

    @Test
    void recordsAfterZerosOrGarbageDoNotCount() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("whole");
            write(file, records());
            byte[] whole = Files.readAllBytes(file);
            Random random = new Random(4);
            for (int i = 0; i < 200; i++) {
                byte[] bytes = whole.clone();
                int from = random.nextInt(whole.length);
                for (int at = from; at < Math.min(whole.length, from + 64); at++) {
                    bytes[at] = i % 2 == 0 ? 0 : (byte) random.nextInt();
                }
                Files.write(file, bytes);
                List<JournalRecord> found = read(file);
                assertThat(found).isEqualTo(records().subList(0, found.size()));
            }
        }
    }

    @Test
    void aJournalOfSomethingElseCountsForNothing() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("7.2.journal");
            write(file, records());
            JournalReader.Consumer none = (offset, record) -> {
                throw new AssertionError(record);
            };
            assertThat(JournalReader.read(file, new AttemptName(7, 1), ID, none).isDamaged()).isTrue();
            assertThat(JournalReader.read(file, new AttemptName(6, 2), ID, none).isDamaged()).isTrue();
            TransferId other = new TransferId("20261121-162202-k3x8");
            assertThat(JournalReader.read(file, NAME, other, none).isDamaged()).isTrue();
        }
    }

    @Property(tries = 200)
    void indexesInAnyOrderComeBackAsRanges(@ForAll @Size(max = 300) List<@IntRange(max = 400) Integer> indexes,
            @ForAll @IntRange(min = 1, max = 5) int most) {
        IndexSet set = new IndexSet();
        indexes.forEach(set::add);
        List<Integer> found = new ArrayList<>();
        for (List<JournalRecord.Range> ranges : set.takeRanges(most)) {
            assertThat(ranges).hasSizeBetween(1, most);
            new JournalRecord.Indexes(JournalRecord.Fact.DONE, ranges).forEach(found::add);
        }
        assertThat(found).isEqualTo(indexes.stream().distinct().sorted().toList());
        assertThat(set.isEmpty()).isTrue();
    }

    @Test
    void recordsBeforeASyncAreDurableAfterIt() throws IOException {
        try (TestDirectory directory = TestDirectory.make()) {
            Path file = directory.resolve("7.2.journal");
            try (JournalWriter writer = JournalWriter.claim(file, HEADER).orElseThrow()) {
                writer.add(JournalRecord.Fact.DONE, 1);
                writer.makeDurable(() -> {
                    writer.add(JournalRecord.Fact.DONE, 2);
                    writer.flush();
                });
                writer.add(JournalRecord.Fact.DONE, 3);
                assertThatThrownBy(() -> writer.makeDurable(() -> {
                    throw new IOException("EIO");
                })).hasMessage("EIO");
            }
            List<Long> offsets = new ArrayList<>();
            List<Long> durable = new ArrayList<>();
            JournalReader.read(file, NAME, ID, (offset, record) -> {
                if (record instanceof JournalRecord.Indexes) {
                    offsets.add(offset);
                } else if (record instanceof JournalRecord.Durable mark) {
                    durable.add(mark.before());
                }
            });
            assertThat(offsets).hasSize(3);
            assertThat(durable).hasSize(1);
            assertThat(offsets.get(0)).isLessThan(durable.getFirst());
            assertThat(offsets.get(1)).isGreaterThanOrEqualTo(durable.getFirst());
        }
    }

    // Code of another jar may leave it behind on a thread that records outcomes.
    @Test
    void anInterruptOfAThreadClosesNoJournal() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path file = directory.resolve("7.2.journal");
            try (JournalWriter writer = JournalWriter.claim(file, HEADER).orElseThrow()) {
                Thread.currentThread().interrupt();
                for (JournalRecord record : records().subList(1, records().size() - 1)) {
                    writer.write(record);
                }
                writer.force();
                writer.makeDurable(() -> {});
                writer.end((JournalRecord.End) records().getLast());
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(read(file)).startsWith(records().subList(0, records().size() - 1).toArray(JournalRecord[]::new))
                    .endsWith(records().getLast());
        }
    }

    // An operation of another jar may put a whole file into the message of its exception.
    @Test
    void aFailureWithAVeryLongTextLeavesTheRecordsAfterItReadable() throws IOException {
        try (TestDirectory directory = TestDirectory.onTmpfs()) {
            Path file = directory.resolve("7.2.journal");
            String text = "x".repeat(17 << 20);
            EntryFailure failure = new EntryFailure(EntryFailure.Kind.ERROR, ByteString.of("/s"), TreePath.root(), text,
                    0);
            JournalRecord last = new JournalRecord.Phase("last", "");
            write(file, List.of(HEADER, new JournalRecord.Failed(new FailureRecord(1, failure, 1)), last));
            List<JournalRecord> read = read(file);
            assertThat(read).hasSize(3).endsWith(last);
            assertThat(((JournalRecord.Failed) read.get(1)).failure().failure().operation()).hasSizeLessThan(1 << 17)
                    .isSubstringOf(text);
        }
    }
}
