// SPDX-License-Identifier: Apache-2.0
package org.treehaul.tuplespace.partition.copies;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.treehaul.tuplespace.store.SpaceException;
import org.treehaul.tuplespace.store.Store;

class CopiesTest {

    @TempDir
    Path directory;

    @SuppressWarnings("NullAway") // set by JUnit
    CopiesTest() {}

    private static Map<Long, Copy> all(Copies copies) {
        Map<Long, Copy> all = new TreeMap<>();
        List<Long> order = new ArrayList<>();
        copies.forEach((tuple, copy) -> {
            order.add(tuple);
            all.put(tuple, copy);
        });
        assertThat(order).isSorted().doesNotHaveDuplicates();
        return all;
    }

    @Test
    void theyAreThoseOfAMapAfterRandomPasses() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        for (int most : new int[]{1, 7, 900, 1 << 20}) {
            try (Copies copies = new Copies(most, () -> directory)) {
                Map<Long, Copy> expected = new TreeMap<>();
                long ids = 0;
                for (int pass = 0; pass < 5; pass++) {
                    copies.beginPass();
                    Set<Long> seen = new HashSet<>();
                    for (int i = 0; i < 3000; i++) {
                        // Mostly in order, as a store returns them.
                        long tuple = random.nextInt(4) > 0 ? i : random.nextInt(6000);
                        assertThat(copies.see(tuple)).isEqualTo(expected.get(tuple));
                        seen.add(tuple);
                        if (!expected.containsKey(tuple) || random.nextInt(8) == 0) {
                            Copy copy = new Copy(ids++, random.nextBoolean() ? Store.NEVER : random.nextInt(100));
                            copies.put(tuple, copy);
                            expected.put(tuple, copy);
                        }
                    }
                    Map<Long, Copy> gone = new HashMap<>(expected);
                    gone.keySet().removeAll(seen);
                    expected.keySet().retainAll(seen);
                    List<Long> removed = new ArrayList<>();
                    copies.removeUnseen(removed::add);
                    assertThat(removed)
                            .containsExactlyInAnyOrderElementsOf(gone.values().stream().map(Copy::id).toList());
                    assertThat(all(copies)).isEqualTo(expected);
                    assertThat(copies.size()).isEqualTo(expected.size());
                    assertThat(copies.lasting()).isEqualTo(
                            expected.values().stream().filter(copy -> copy.expiresAt() == Store.NEVER).count());
                }
            }
        }
    }

    @Test
    void anInterruptOfTheThreadClosesNoFile() {
        try (Copies copies = new Copies(10, () -> directory)) {
            for (int i = 0; i < 100; i++) {
                copies.put(i, new Copy(i, Store.NEVER));
                if (i == 50) {
                    Thread.currentThread().interrupt();
                }
            }
            assertThat(all(copies)).hasSize(100);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
        } finally {
            Thread.interrupted();
        }
    }

    @Test
    void noFileHasAName() throws Exception {
        try (Copies copies = new Copies(10, () -> directory)) {
            for (int i = 0; i < 100; i++) {
                copies.put(i, new Copy(i, Store.NEVER));
            }
            assertThat(all(copies)).hasSize(100);
            try (Stream<Path> files = Files.list(directory)) {
                assertThat(files).isEmpty();
            }
        }
    }

    @Test
    void aDirectoryThatCannotBeUsedIsNamed() {
        try (Copies copies = new Copies(1, () -> directory.resolve("none"))) {
            assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> copies.put(1, new Copy(1, 1)))
                    .withMessageContaining(directory + "/none")
                    .withMessageContaining("set TMPDIR to a directory");
        }
        assertThat(Copies.directory("")).isEqualTo(Path.of("/var/tmp"));
        assertThat(Copies.directory(directory.toString())).isEqualTo(directory);
        assertThatExceptionOfType(SpaceException.class).isThrownBy(() -> Copies.directory("a\0b"))
                .withMessageContaining("TMPDIR, which is not a path in this locale");
    }

    @Test
    void anEntryIsWrittenOnceForEachLevelOfFiles() {
        try (Copies copies = new Copies(1, () -> directory)) {
            for (int i = 0; i < 5000; i++) {
                copies.put(i, new Copy(i, Store.NEVER));
            }
            // The levels have 1, 16, 256 and 4096 entries in a file.
            assertThat(copies.written()).isBetween(3L * 5000, 4L * 5000);
            assertThat(copies.see(0)).isEqualTo(new Copy(0, Store.NEVER));
            assertThat(copies.see(4999)).isEqualTo(new Copy(4999, Store.NEVER));
            assertThat(all(copies)).hasSize(5000);
        }
    }
}
