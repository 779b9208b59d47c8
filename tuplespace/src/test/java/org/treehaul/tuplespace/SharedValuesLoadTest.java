// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.treehaul.tuplespace.Shapes.Job;
import org.treehaul.tuplespace.store.BulkLoad;
import org.treehaul.tuplespace.store.Inspection;
import org.treehaul.tuplespace.tuple.Bytes;
import org.treehaul.tuplespace.tuple.Order;
import org.treehaul.tuplespace.tuple.Template;

/** Bulk loads into a file, of tuples that share some of their values. */
class SharedValuesLoadTest {

    public record Wide(int number, long a, @Nullable String b, @Nullable Bytes c, double d, boolean e, @Nullable Long f,
            Shapes.Colour g) {}

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    SharedValuesLoadTest() {}

    private static <T extends Record> List<T> read(TupleSpace space, Class<T> type) {
        try (Stream<T> all = space.contents(Template.of(type), Order.by("number"), Long.MAX_VALUE)) {
            return all.toList();
        }
    }

    private static final List<Shapes.Colour> COLOURS = List.of(Shapes.Colour.values());

    private static Wide wide(int number, Random random, int constant) {
        return new Wide(number, (constant & 1) == 0 ? 7 : random.nextLong(),
                (constant & 2) == 0 ? null : "text " + random.nextInt(3),
                (constant & 4) == 0 ? Bytes.of((byte) 1) : Bytes.of((byte) random.nextInt(3)),
                (constant & 8) == 0 ? 0 : random.nextDouble(), (constant & 16) != 0 && random.nextBoolean(),
                (constant & 32) == 0 ? null : random.nextBoolean() ? (Long) random.nextLong() : null,
                COLOURS.get((constant & 64) == 0 ? 0 : random.nextInt(3)));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 31, 32, 33, 64, 12_800})
    void everyTupleIsAsItWasAdded(int count) {
        Random random = new Random(count);
        List<Wide> wides = new ArrayList<>();
        List<Job> jobs = new ArrayList<>();
        Path home = directory.resolve("space");
        try (BulkLoad load = TupleSpaces.bulkLoad(home, SpaceOptions.defaults())) {
            for (int i = 0; i < count; i++) {
                // Each portion shares the values of others, of more kinds than there are statements.
                Wide wide = wide(i, random, i / 100);
                wides.add(wide);
                load.add(wide);
                if (random.nextInt(200) == 0) {
                    Job job = new Job(i, null, "owner");
                    jobs.add(job);
                    load.add(job);
                }
            }
            load.finish();
        }
        try (TupleSpace space = TupleSpaces.open(home, SpaceOptions.defaults())) {
            assertThat(read(space, Wide.class)).isEqualTo(wides);
            assertThat(read(space, Job.class)).isEqualTo(jobs);
            space.write(new Job(count, null, null));
        }
        assertThat(TupleSpaces.check(home)).isEqualTo(new Inspection(wides.size() + jobs.size() + 1, 0, List.of()));
    }

    public record Times(int number, long a, long b, long c, @Nullable Long d, @Nullable Long e) {}

    /** Returns the value before, a random one, or always the same: that depends on a digit of the pattern. */
    private static long next(long before, Random random, int pattern, int digit) {
        return switch (pattern / digit % 3) {
            case 0 -> before;
            case 1 -> random.nextLong(3);
            default -> 5;
        };
    }

    @Test
    void componentsWithEqualValuesBesideEachOtherAreAsTheyWereAdded() {
        Random random = new Random(1);
        List<Times> all = new ArrayList<>();
        Path home = directory.resolve("space");
        try (BulkLoad load = TupleSpaces.bulkLoad(home, SpaceOptions.defaults())) {
            // Each combination, more than there are statements, in portions of their own and of several.
            for (int i = 0; i < 243 * 70; i++) {
                int pattern = i / 70;
                long a = next(i, random, pattern, 1);
                long b = next(a, random, pattern, 3);
                long c = next(b, random, pattern, 9);
                long d = next(c, random, pattern, 27);
                long e = next(d, random, pattern, 81);
                Times times = new Times(i, a, b, c, d == 0 ? null : d, e == 0 ? null : e);
                all.add(times);
                load.add(times);
            }
            load.finish();
        }
        try (TupleSpace space = TupleSpaces.open(home, SpaceOptions.defaults())) {
            assertThat(read(space, Times.class)).isEqualTo(all);
        }
        assertThat(TupleSpaces.check(home)).isEqualTo(new Inspection(all.size(), 0, List.of()));
    }

    @Test
    void largeValuesAreLoadedBeforeTheyFillTheMemory() {
        Path home = directory.resolve("space");
        List<Job> jobs = new ArrayList<>();
        try (BulkLoad load = TupleSpaces.bulkLoad(home, SpaceOptions.defaults())) {
            for (int i = 0; i < 40; i++) {
                Job job = new Job(i, "x".repeat(i % 10 * 20_000), null);
                jobs.add(job);
                load.add(job);
            }
            load.finish();
        }
        try (TupleSpace space = TupleSpaces.open(home, SpaceOptions.defaults())) {
            assertThat(read(space, Job.class)).isEqualTo(jobs);
        }
    }
}
